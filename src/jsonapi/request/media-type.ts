import {
  anyOther,
  HeaderReader,
  mediaRanges,
  type Parts,
  rangeParameters,
  typeParameters,
} from './header-reader.ts'

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
  const isPlain = header === type && extension === undefined
  if (header === undefined || isPlain || header.trim() === '') {
    return 1
  }
  if (header.length > longestHeader) {
    return 0
  }
  const names = [type, type.replace(/\/.*/, '/*'), '*/*']
  const weights: (number | undefined)[] = []
  const reader = new HeaderReader(header)
  for (;;) {
    const index = reader.nextOf(names, mediaRanges)
    if (index < 0) {
      return weights.find((weight) => weight !== undefined) ?? 0
    }
    const weight =
      names[index] === mediaType
        ? jsonApiWeight(reader, rangeParameters, extension)
        : weightOf(
            reader.nextOf(weightName, rangeParameters) < 0 ? '' : reader.value(rangeParameters),
          )
    if (weight !== undefined) {
      weights[index] = Math.max(weights[index] ?? 0, weight)
    }
  }
}

/** Is the `Content-Type` JSON:API with exactly this extension, or with none, and without parameters but `ext` and `profile`? */
export function isJsonApi(header = '', extension?: string): boolean {
  if (header === mediaType) {
    return extension === undefined
  }
  const reader = new HeaderReader(header)
  return (
    header.length <= longestHeader &&
    reader.begins(mediaType) &&
    jsonApiWeight(reader, typeParameters, extension, ['ext', 'profile']) !== undefined
  )
}

/**
 * The weight of a JSON:API type by its parameters; undefined where it does not count, because they do not name exactly this
 * extension, or none where none is given, or because one of them is not taken. Profiles are ignored.
 */
function jsonApiWeight(
  reader: HeaderReader,
  parts: Parts,
  extension: string | undefined,
  taken: readonly string[] = ['ext', 'profile', 'q'],
): number | undefined {
  const names = [...taken, anyOther]
  let isNamed = extension === undefined
  let weight: number | undefined
  for (;;) {
    const index = reader.nextOf(names, parts)
    const name = names[index]
    if (name === undefined) {
      return isNamed ? (weight ?? 1) : undefined
    }
    if (name === anyOther) {
      return undefined
    }
    if (name === 'q') {
      weight ??= weightOf(reader.value(parts))
    } else if (name === 'ext') {
      const uris = unquote(reader.value(parts)).trim()
      if (uris !== '' && !uris.split(/ +/).every((uri) => uri === extension)) {
        return undefined
      }
      isNamed ||= uris !== ''
    }
  }
}

const weightName = ['q']

/** The weight that a qvalue gives. What is no qvalue counts as absent (RFC 9110, section 12.4.2). */
function weightOf(q: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 1
}

/** The text of a quoted string, or the text itself where it is not quoted (RFC 9110, section 5.6.4). */
function unquote(value: string): string {
  return value.startsWith('"')
    ? value
        .slice(1, value.length > 1 && value.endsWith('"') ? -1 : undefined)
        .replace(/\\(.)/g, '$1')
    : value
}
