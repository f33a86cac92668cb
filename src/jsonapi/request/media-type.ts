/** The media type of every request body and every answer (contract, section 1). */
export const mediaType = 'application/vnd.api+json'

/** The extension of transactions (https://jsonapi.org/ext/atomic), which their path alone supports (contract, section 13). */
export const atomicExtension = 'https://jsonapi.org/ext/atomic'

/** The media type of JSON:API with an extension. */
export function withExtension(extension: string): string {
  return `${mediaType}; ext="${extension}"`
}

type Parameter = readonly [name: string, value: string]

interface MediaType {
  readonly name: string
  readonly parameters: readonly Parameter[]
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
  const isPlain = header === type && extension === undefined
  if (header === undefined || isPlain || header.trim() === '') {
    return 1
  }
  if (header.length > longestHeader) {
    return 0
  }
  const ranges = split(header, ',').map(parse)
  for (const name of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const weights = ranges
      .filter(
        (range) =>
          range.name === name && (name !== mediaType || hasExtension(range.parameters, extension)),
      )
      .map(({ parameters }) => weight(parameters))
    if (weights.length > 0) {
      return Math.max(...weights)
    }
  }
  return 0
}

/** Is the `Content-Type` JSON:API with exactly this extension, or with none, and without parameters but `ext` and `profile`? */
export function isJsonApi(header = '', extension?: string): boolean {
  if (header.length > longestHeader) {
    return false
  }
  const type = parse(header)
  return (
    type.name === mediaType &&
    qualityOf(type.parameters) === undefined &&
    hasExtension(type.parameters, extension)
  )
}

/** Do the parameters name exactly this extension, or none where none is given? Profiles are ignored. */
function hasExtension(parameters: readonly Parameter[], extension: string | undefined): boolean {
  const named = parameters
    .filter(([name]) => name === 'ext')
    .flatMap(([, value]) => value.split(' '))
    .filter((uri) => uri !== '')
  return (
    parameters.every(([name]) => ['profile', 'q', 'ext'].includes(name)) &&
    named.every((uri) => uri === extension) &&
    (extension === undefined || named.length > 0)
  )
}

function qualityOf(parameters: readonly Parameter[]): string | undefined {
  return parameters.find(([name]) => name === 'q')?.[1]
}

/** The weight of a range. A value that is no qvalue counts as absent (RFC 9110, section 12.4.2). */
function weight(parameters: readonly Parameter[]): number {
  const q = qualityOf(parameters) ?? ''
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 1
}

function parse(text: string): MediaType {
  const [name = '', ...parameters] = split(text, ';')
  return {
    name: name.toLowerCase(),
    parameters: parameters
      .filter((parameter) => parameter !== '')
      .map((parameter) => {
        const equals = parameter.indexOf('=')
        const key = equals < 0 ? parameter : parameter.slice(0, equals)
        const value = equals < 0 ? '' : parameter.slice(equals + 1)
        const name = key.trim().toLowerCase()
        // A qvalue is never quoted.
        return [name, name === 'q' ? value.trim() : unquote(value.trim())]
      }),
  }
}

/** Splits at a separator that stands outside quotes. */
function split(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let part = ''
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (quoted && character === '\\') {
      part += character + text.charAt(++index)
    } else if (character === separator && !quoted) {
      parts.push(part.trim())
      part = ''
    } else {
      quoted = character === '"' ? !quoted : quoted
      part += character
    }
  }
  return [...parts, part.trim()]
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1') : value
}
