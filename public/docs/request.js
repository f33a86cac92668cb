// @ts-check

import { keyHeader, languages } from './samples.js'

/**
 * The form of an operation as its reader has filled it in.
 *
 * @typedef {object} Form
 * @property {Readonly<Record<string, string>>} parameters those that are sent, by place and name: `query.page[limit]`
 * @property {string | undefined} body JSON; undefined for none
 */

/**
 * The parts of the description that a request is made from.
 *
 * @typedef {object} Example
 * @property {unknown} [example]
 * @property {Readonly<Record<string, { value: unknown }>>} [examples]
 *
 * @typedef {Example & { $ref?: string, name: string, in: string }} Parameter
 *
 * @typedef {object} Operation
 * @property {Parameter[]} [parameters]
 * @property {readonly Readonly<Record<string, readonly string[]>>[]} security
 * @property {{ content: Readonly<Record<string, Example>> }} [requestBody]
 *
 * @typedef {object} Description
 * @property {Readonly<Record<string, any>>} paths
 * @property {{ parameters: Readonly<Record<string, Parameter>>, securitySchemes: Readonly<Record<string, any>> }} components
 */

/**
 * The request of a sample. It is the documented one, the examples of its path, its query and its body, until a reader fills in the
 * form of the operation; then it is what the form sends.
 *
 * Samples can be sent one after the other: where the documented request uses something up, an e-mail address or a resource that it
 * deletes, the one of each language uses something of its own.
 *
 * @param {Description} description
 * @param {string} server the URL of the root path
 * @param {string} path as in the description
 * @param {string} method in lower case
 * @param {keyof typeof languages} language
 * @param {Form} [form]
 * @returns {import('./samples.js').DescribedRequest}
 * @throws {SyntaxError} where the body of the form is no JSON
 */
export function requestOf(description, server, path, method, language, form = emptyForm) {
  const { paths, components } = description
  const item = paths[path]
  /** @type {Operation} */
  const operation = item[method]
  /** @type {Parameter[]} */
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
    one.$ref ? components.parameters[lastOf(one.$ref)] : one,
  )
  const [content] = Object.entries(operation.requestBody?.content ?? {})
  const documented = content && exampleOf(content[1])
  const sent = form.body === undefined ? documented : JSON.parse(form.body)
  const isFilled =
    JSON.stringify(sent) !== JSON.stringify(documented) ||
    parameters.some((one) => isFilledIn(one, form))
  const values = parameters.flatMap((one) => {
    const { name, in: place } = one
    const filled = form.parameters[`${place}.${name}`]
    const example = exampleOf(one, language)
    const isDocumented = place === 'path' || (place === 'query' && !isFilled)
    const value = filled ?? (isDocumented ? example : undefined)
    return value === undefined ? [] : [{ name, place, value: [value].flat().join(',') }]
  })
  const valuesIn = (/** @type {string} */ place) => values.filter((one) => one.place === place)
  const headers = Object.fromEntries(valuesIn('header').map(({ name, value }) => [name, value]))
  const filledPath = valuesIn('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  )
  const query = valuesIn('query')
    .map(({ name, value }) => `${readable(name)}=${readable(value)}`)
    .join('&')
  const takesKey = parameters.some(({ name }) => name === keyHeader)
  return {
    method: method.toUpperCase(),
    url: server + filledPath + (query && `?${query}`),
    headers: { ...(content && { 'Content-Type': content[0] }), ...headers },
    key: takesKey && !(keyHeader in headers) ? crypto.randomUUID() : undefined,
    body: isFilled ? sent : withOwnAddresses(documented, language),
    token: tokenAdvice(description, server, operation, method),
  }
}

/** @type {Form} */
const emptyForm = { parameters: {}, body: undefined }

/**
 * Has a reader filled in the parameter? The id in the path is there from the beginning.
 *
 * @param {Parameter} parameter
 * @param {Form} form
 */
function isFilledIn({ name, in: place, example }, { parameters }) {
  const value = parameters[`${place}.${name}`]
  return value !== undefined && !(place === 'path' && value === example)
}

/** @param {string} reference */
function lastOf(reference) {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/**
 * The documented example: of several, the first one, or the one that a language has for its sample, in the order of languages.
 *
 * @param {Example} described
 * @param {keyof typeof languages} [language]
 */
function exampleOf({ example, examples = {} }, language) {
  const all = Object.values(examples)
  const nth = language ? 1 + Object.keys(languages).indexOf(language) : 0
  return example ?? (all[nth] ?? all[0])?.value
}

/**
 * A documented body in which e-mail addresses are those of a language, because an address belongs to one user.
 *
 * @param {unknown} body
 * @param {string} language
 */
function withOwnAddresses(body, language) {
  const text = JSON.stringify(body)?.replaceAll('@example.com', `+${language}@example.com`)
  return text && JSON.parse(text)
}

/**
 * Where the token of a sample comes from. Shells may read the lines as a command, so that they hold no quotes.
 *
 * @param {Description} description
 * @param {string} server
 * @param {Operation} operation
 * @param {string} method
 */
function tokenAdvice({ components }, server, { security }, method) {
  const [[scheme, scopes = []] = ['']] = security.flatMap((one) => Object.entries(one))
  const [{ tokenUrl }] = Object.values(components.securitySchemes[scheme].flows)
  const isOpen = security.some((one) => 'Client_Credentials' in one)
  const whose = isOpen ? 'an application or a person' : `a person with ${scopes.join(' ')}`
  const isLocal = ['127.0.0.1', 'localhost'].includes(new URL(server).hostname)
  const options = method === 'get' ? '' : ` -- --scope ${scopes.join(' ')}`
  return [
    `TOKEN holds an access token of ${whose}, from ${tokenUrl}`,
    ...(isLocal ? [`Locally: export TOKEN=$(npm run -s token${options})`] : []),
  ]
}

/** @param {string} text */
function readable(text) {
  return encodeURIComponent(text)
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replaceAll('%2C', ',')
}
