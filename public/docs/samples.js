// @ts-check

/**
 * A request of the description, ready to be sent but for its token and its key.
 *
 * @typedef {object} DescribedRequest
 * @property {string} method
 * @property {string} url readable: brackets and commas of the query are not encoded, and every client here sends it so
 * @property {Readonly<Record<string, string>>} headers beside `Authorization` and `Idempotency-Key`
 * @property {string | undefined} key a new `Idempotency-Key`; undefined where the operation takes none
 * @property {unknown} body undefined for none
 */

/**
 * The parts of the description that a request is made from.
 *
 * @typedef {object} Example
 * @property {unknown} [example]
 * @property {Readonly<Record<string, { value: unknown }>>} [examples]
 *
 * @typedef {object} Parameter
 * @property {string} [$ref]
 * @property {string} name
 * @property {string} in
 * @property {unknown} [example]
 *
 * @typedef {object} Operation
 * @property {Parameter[]} [parameters]
 * @property {{ content: Readonly<Record<string, Example>> }} [requestBody]
 *
 * @typedef {object} Description
 * @property {Readonly<Record<string, any>>} paths
 * @property {{ parameters: Readonly<Record<string, Parameter>> }} components
 */

/** The header that makes a create or a transaction safe to send again. */
const keyHeader = 'Idempotency-Key'

/** What a program says of its key. */
const keyAdvice = 'one for each new request; keep it to send the same request again'

/** The languages of samples, each with its name for readers and for highlighting, and how it writes a request. */
export const languages = {
  curl: { name: 'curl', highlight: 'bash', write: curl },
  javascript: { name: 'JavaScript', highlight: 'javascript', write: javascript },
  python: { name: 'Python', highlight: 'python', write: python },
}

/**
 * The request that the description documents for an operation: the examples of its path, its query and its body, as they stand. The
 * example of its answer is what this request got.
 *
 * @param {Description} description
 * @param {string} server the URL of the root path
 * @param {string} path as in the description
 * @param {string} method in lower case
 * @returns {DescribedRequest}
 */
export function requestOf({ paths, components }, server, path, method) {
  const item = paths[path]
  /** @type {Operation} */
  const operation = item[method]
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(
    ({ $ref, ...own }) => ($ref ? components.parameters[lastOf($ref)] : own),
  )
  const values = parameters.flatMap(({ name, in: place, example }) =>
    example === undefined ? [] : [{ name, place, value: [example].flat().join(',') }],
  )
  const filled = values
    .filter(({ place }) => place === 'path')
    .reduce((text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)), path)
  const query = values
    .filter(({ place }) => place === 'query')
    .map(({ name, value }) => `${readable(name)}=${readable(value)}`)
    .join('&')
  const [content] = Object.entries(operation.requestBody?.content ?? {})
  return {
    method: method.toUpperCase(),
    url: server + filled + (query && `?${query}`),
    headers: content ? { 'Content-Type': content[0] } : {},
    key: parameters.some(({ name }) => name === keyHeader) ? crypto.randomUUID() : undefined,
    body: content && exampleOf(content[1]),
  }
}

/** @param {string} reference */
function lastOf(reference) {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/**
 * The last of several examples uses most.
 *
 * @param {Example} content
 */
function exampleOf({ example, examples = {} }) {
  return example ?? Object.values(examples).at(-1)?.value
}

/** @param {string} text */
function readable(text) {
  return encodeURIComponent(text)
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replaceAll('%2C', ',')
}

/**
 * A command that is run again is the same request again, so that its key is written out.
 *
 * @param {DescribedRequest} request
 */
function curl({ method, url, headers, key, body }) {
  // Without -g curl takes brackets for patterns of several URLs.
  const start = ['curl', url.includes('[') && '-g', method !== 'GET' && `-X ${method}`, quoted(url)]
  return [
    start.filter(Boolean).join(' '),
    '-H "Authorization: Bearer $TOKEN"',
    ...Object.entries({ ...headers, ...(key && { [keyHeader]: key }) }).map(
      ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ')
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
function javascript({ method, url, headers, key, body }) {
  const lines = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample itself has the template.
    '    Authorization: `Bearer ${process.env.TOKEN}`,',
    ...Object.entries(headers).map(([name, value]) => `    '${name}': '${value}',`),
    ...(key ? [`    '${keyHeader}': key,`] : []),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, 2)}),`]),
  ]
  const start = key ? `const key = crypto.randomUUID() // ${keyAdvice}\n` : ''
  return `${start}const response = await fetch('${url}', {
${lines.join('\n')}
})
console.log(response.status, await response.text())`
}

/** @param {DescribedRequest} request */
function python({ method, url, headers, key, body }) {
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
  return `import ${modules.join(', ')}
from urllib.request import Request, urlopen

${start}request = Request(
${lines.join('\n')}
)
with urlopen(request) as response:
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
