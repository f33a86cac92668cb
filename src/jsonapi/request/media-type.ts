/** The media type of every request body and every answer (contract, section 1). */
export const mediaType = 'application/vnd.api+json'

/** The extension of transactions (https://jsonapi.org/ext/atomic), which their path alone supports (contract, section 13). */
export const atomicExtension = 'https://jsonapi.org/ext/atomic'

/** The media type of JSON:API with an extension. */
export function withExtension(extension: string): string {
  return `${mediaType}; ext="${extension}"`
}

/** The longest header that is read, in characters (contract, section 6). */
export const longestHeader = 8 * 1024

/** Does the `Accept` header admit JSON:API, with the extension if one is given? See {@link quality}. */
export function accepts(header: string | undefined, extension?: string): boolean {
  return quality(header, mediaType, extension) > 0
}

/**
 * The weight that an `Accept` header gives a media type, from 0 (not acceptable) to 1 (RFC 9110, section 12.5.1). The most
 * specific range decides. Without a header every type is acceptable; by a header that is too long, none is. A JSON:API range
 * with another extension, or with a parameter other than `ext` and `profile`, does not count (JSON:API 1.1, "Server
 * Responsibilities").
 */
export function quality(header: string | undefined, type: string, extension?: string): number {
  if (header === undefined || header.trim() === '') {
    return 1
  }
  if (header.length > longestHeader) {
    return 0
  }
  const names = [type, type.replace(/\/.*/, '/*'), '*/*']
  // A range has a slash. What has none is passed over at once, because `Accept` is read before the limiter can refuse a request.
  const ranges = separable(header)
    .split(',')
    .filter((range) => range.includes('/'))
  const weights: (number | undefined)[] = []
  for (const range of ranges) {
    const index = names.indexOf(nameOf(range))
    const counts = names[index] !== mediaType || isTaken(range, ['ext', 'profile', 'q'], extension)
    if (index >= 0 && counts) {
      weights[index] = Math.max(weights[index] ?? 0, weightOf(range))
    }
  }
  return weights.find((weight) => weight !== undefined) ?? 0
}

/** Is the `Content-Type` JSON:API with exactly this extension, or with none, and without parameters but `ext` and `profile`? */
export function isJsonApi(header = '', extension?: string): boolean {
  return (
    header.length <= longestHeader &&
    nameOf(header) === mediaType &&
    isTaken(separable(header), ['ext', 'profile'], extension)
  )
}

/** A header that can be split at commas and semicolons: those in quoted strings, which separate nothing, are put out of the way. */
function separable(header: string): string {
  return header.replace(/"(?:\\.|[^"\\])*"?/gs, (quoted) => quoted.replace(/[,;]/g, '\0'))
}

/** The name of a media type or a range. Its case does not count. */
function nameOf(range: string): string {
  const [name = ''] = range.split(';', 1)
  return name.trim().toLowerCase()
}

/** Does a media type or a range have no parameters but these, and name exactly the extension, or none where none is given? */
function isTaken(range: string, names: readonly string[], extension: string | undefined): boolean {
  const [, ...sent] = range.split(';')
  const parameters = sent
    .filter((parameter) => parameter.trim() !== '')
    .map((parameter) => {
      const [name = '', ...value] = parameter.split('=')
      return { name: name.trim().toLowerCase(), value: value.join('=').trim() }
    })
  const uris = parameters
    .flatMap(({ name, value }) => (name === 'ext' ? unquoted(value).trim().split(/ +/) : []))
    .filter((uri) => uri !== '')
  return (
    parameters.every(({ name }) => names.includes(name)) &&
    uris.every((uri) => uri === extension) &&
    (extension === undefined || uris.length > 0)
  )
}

/** The weight of a range: its first parameter `q`. What is no qvalue counts as absent (RFC 9110, section 12.4.2). */
function weightOf(range: string): number {
  const [, q = ''] = /;\s*q\s*(?:=([^;]*))?(?:;|$)/i.exec(range) ?? []
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q.trim()) ? Number(q) : 1
}

/** The text of a quoted string, or the text itself where it is not quoted (RFC 9110, section 5.6.4). */
function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1).replace(/"$/, '').replace(/\\(.)/g, '$1') : value
}
