// @ts-check

/**
 * A request, ready to be sent but for its token and its key.
 *
 * @typedef {object} DescribedRequest
 * @property {string} method
 * @property {string} url readable: brackets and commas of the query are not encoded, and every client here sends it so
 * @property {Readonly<Record<string, string>>} headers beside `Authorization` and `key`
 * @property {string | undefined} key a new `Idempotency-Key`; undefined where the operation takes none, and where `headers` has one
 * @property {unknown} body undefined for none
 * @property {readonly string[]} token where the access token comes from, in lines
 */

/** The header that makes a create or a transaction safe to send again. */
export const keyHeader = 'Idempotency-Key'

/** What a program says of its key. */
const keyAdvice = 'one for each new request; keep it to send the same request again'

/** The languages of samples, each with its name for readers and for highlighting, and how it writes a request. */
export const languages = {
  curl: { name: 'curl', highlight: 'bash', write: curl },
  javascript: { name: 'JavaScript', highlight: 'javascript', write: javascript },
  python: { name: 'Python', highlight: 'python', write: python },
}

/**
 * A command that is run again is the same request again, so that its key is written out.
 *
 * @param {DescribedRequest} request
 */
function curl({ method, url, headers, key, body, token }) {
  // Without -g curl takes brackets for patterns of several URLs.
  const start = ['curl', url.includes('[') && '-g', method !== 'GET' && `-X ${method}`, quoted(url)]
  const command = [
    start.filter(Boolean).join(' '),
    '-H "Authorization: Bearer $TOKEN"',
    ...Object.entries({ ...headers, ...(key && { [keyHeader]: key }) }).map(
      ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ')
  return [...token.map((line) => `# ${line}`), command].join('\n')
}

/**
 * A word of a shell.
 *
 * @param {string} text
 */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** @param {DescribedRequest} request */
function javascript({ method, url, headers, key, body, token }) {
  const lines = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample itself has the template.
    '    Authorization: `Bearer ${process.env.TOKEN}`,',
    ...Object.entries(headers).map(([name, value]) => `    ${text(name)}: ${text(value)},`),
    ...(key ? [`    '${keyHeader}': key,`] : []),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, 2)}),`]),
  ]
  const start = [
    ...token.map((line) => `// ${line}\n`),
    ...(key ? [`const key = crypto.randomUUID() // ${keyAdvice}\n`] : []),
  ].join('')
  return `${start}const response = await fetch(${text(url)}, {
${lines.join('\n')}
})
console.log(response.status, await response.text())`
}

/**
 * A string of JavaScript.
 *
 * @param {string} value
 */
function text(value) {
  return `'${value.replaceAll(/['\\]/g, '\\$&')}'`
}

/** @param {DescribedRequest} request */
function python({ method, url, headers, key, body, token }) {
  const lines = [
    `    "${url}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    '        "Authorization": f"Bearer {os.environ[\'TOKEN\']}",',
    ...Object.entries(headers).map(([name, value]) => `        "${name}": ${pythonOf(value, 4)},`),
    ...(key ? [`        "${keyHeader}": key,`] : []),
    '    },',
    ...(body === undefined ? [] : [`    data=json.dumps(${pythonOf(body, 4)}).encode(),`]),
  ]
  const modules = [...(body === undefined ? [] : ['json']), 'os', ...(key ? ['uuid'] : [])]
  const start = key ? `key = str(uuid.uuid4())  # ${keyAdvice}\n` : ''
  return `${token.map((line) => `# ${line}\n`).join('')}import ${modules.join(', ')}
from urllib.error import HTTPError
from urllib.request import Request, urlopen

${start}request = Request(
${lines.join('\n')}
)
try:
    response = urlopen(request)
except HTTPError as error:  # an answer, too: its document says what is wrong
    response = error
print(response.status, response.read().decode())`
}

/**
 * A value as JSON, which JavaScript reads, too.
 *
 * @param {unknown} value
 * @param {number} indent of the line that it begins on, and of each level
 */
function indented(value, indent) {
  return JSON.stringify(value, null, indent).replaceAll('\n', `\n${' '.repeat(indent)}`)
}

const constants = { true: 'True', false: 'False', null: 'None' }

/**
 * A value as Python writes it: as in JSON, but for three constants.
 *
 * @param {unknown} value
 * @param {number} indent
 */
function pythonOf(value, indent) {
  return indented(value, indent).replace(
    /"(?:[^"\\]|\\.)*"|true|false|null/g,
    (token) => constants[/** @type {keyof typeof constants} */ (token)] ?? token,
  )
}
