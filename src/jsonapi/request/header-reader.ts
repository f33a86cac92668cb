/** Which parts of a header are read: what separates them, what ends them, and what may follow the name of one. */
export interface Parts {
  readonly separator: string
  /** Ends the parts, beside the end of the header. */
  readonly end: string
  readonly afterName: string
}

/** The media ranges of a list (RFC 9110, section 12.5.1). */
export const mediaRanges: Parts = { separator: ',', end: '', afterName: ',;' }

/** The parameters of one media range of a list. */
export const rangeParameters: Parts = { separator: ';', end: ',', afterName: ',;=' }

/** The parameters of a media type that stands alone (RFC 9110, section 8.3). */
export const typeParameters: Parts = { separator: ';', end: '', afterName: ';=' }

/** Stands in a list of names for any name that is not in it. */
export const anyOther = ''

/**
 * Reads a header of media types with parameters from left to right. Nothing is copied that need not be: a header of 8 KiB can
 * have thousands of parts, and `Accept` is read before the limiter can refuse a request (contract, section 2).
 */
export class HeaderReader {
  readonly #text: string
  readonly #lower: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#lower = text.toLowerCase()
  }

  /** Goes behind the media type if the header begins with it, and nothing but parameters follows. Case does not count. */
  begins(mediaType: string): boolean {
    this.#at = afterSpace(this.#text, 0)
    return this.#takeName([mediaType], ';') === 0
  }

  /**
   * Goes behind the next part's name that is one of these, and gives the index of that name; -1 after the last part. Parts
   * that have another name, or none, are skipped. Neither case nor the space around a name counts, and what is in quotes
   * separates nothing.
   */
  nextOf(names: readonly string[], { separator, end, afterName }: Parts): number {
    const lower = this.#lower
    const separating = separator.charCodeAt(0)
    const ending = end.charCodeAt(0)
    let isStart = this.#at === 0
    let isQuoted = false
    let at = this.#at
    for (; at < lower.length; at++) {
      const code = lower.charCodeAt(at)
      if (isQuoted) {
        at += code === backslash ? 1 : 0
        isQuoted = code !== quoteMark
      } else if (code === separating) {
        isStart = true
      } else if (code === ending) {
        break
      } else {
        if (isStart && code !== space && code !== tab) {
          isStart = false
          this.#at = at
          const index = this.#takeName(names, afterName)
          if (index >= 0) {
            return index
          }
        }
        isQuoted = code === quoteMark
      }
    }
    this.#at = Math.min(at, lower.length)
    return -1
  }

  /**
   * The value of the parameter whose name has just been read; empty where it has none. It may end early after an escaped quote
   * mark, with which it is neither a qvalue nor a URI.
   */
  value({ separator, end }: Parts): string {
    const text = this.#text
    if (!text.startsWith('=', this.#at)) {
      return ''
    }
    const [separating, ending] = [separator.charCodeAt(0), end.charCodeAt(0)]
    let isQuoted = false
    let at = this.#at + 1
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (!isQuoted && (code === separating || code === ending)) {
        break
      }
      isQuoted = code === quoteMark ? !isQuoted : isQuoted
    }
    return text.slice(this.#at + 1, at).trim()
  }

  #takeName(names: readonly string[], afterName: string): number {
    const lower = this.#lower
    const start = this.#at
    const first = lower.charCodeAt(start)
    for (let index = 0; index < names.length; index++) {
      const name = names[index] ?? anyOther
      if (name === anyOther) {
        return index
      }
      // To compare the first letter is quick, and most names differ in it.
      if (name.charCodeAt(0) === first && lower.startsWith(name, start)) {
        const end = afterSpace(lower, start + name.length)
        if (end >= lower.length || afterName.includes(lower.charAt(end))) {
          this.#at = end
          return index
        }
      }
    }
    return -1
  }
}

/** Where the space that may stand there ends. */
function afterSpace(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === space || text.charCodeAt(at) === tab) {
    at++
  }
  return at
}

const [quoteMark, backslash, space, tab] = [0x22, 0x5c, 0x20, 0x09]
