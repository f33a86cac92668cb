import type { Problem, ProblemList } from './problems.ts'

/** The media type of every request body and every answer. */
export const mediaType = 'application/vnd.api+json'

/** The media type of JSON:API, with an extension if one is given. */
export function withExtension(extension?: string): string {
  return extension === undefined ? mediaType : `${mediaType}; ext="${extension}"`
}

/** The member `jsonapi` of every document, errors included. */
export const jsonapi = { version: '1.1' } as const

/** Free-form members beside the data (JSON:API 1.1, "Meta Information"). */
export type Meta = Readonly<Record<string, unknown>>

/** A member of a relationship as a request names it (JSON:API 1.1, "Resource Identifier Objects"). Its type is that of the relationship. */
export interface Identifier {
  readonly id: string
  readonly meta?: Meta
}

/** The maximum size of a request body, in bytes. */
export const maxBodyBytes = 64 * 1024

/**
 * The maximum number of members and items in a body. An empty object or array counts as one. The fullest transaction has some 2,500. This
 * bounds what a body costs, and how deep it is nested.
 */
const maxEntries = 3_000

/** A string of JSON, or the rest of a text in which a string does not end. */
const strings = /"(?:[^"\\]|\\.?)*"?/gs

// A byte order mark is skipped.
const fromUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Adds the problem of a body that cannot be read. */
export function addUnreadable(detail: string, problems: ProblemList): undefined {
  problems.add(() => ({ code: 'INVALID_PAYLOAD', detail }))
}

/**
 * Parses a request body: a JSON object in UTF-8; undefined if it is none, which is a problem. Strings that cannot be stored (with NUL or
 * lone surrogates) and names that would reach the prototype are problems at their pointer. Members whose names begin with `@` are dropped,
 * as JSON:API 1.1 asks ("Member Names").
 */
export function parseBody(bytes: Uint8Array | ArrayBuffer, problems: ProblemList) {
  const unreadable = (detail: string) => addUnreadable(detail, problems)
  if (bytes.byteLength > maxBodyBytes) {
    return unreadable(`The body is over ${maxBodyBytes} bytes.`)
  }
  let text: string
  try {
    text = fromUtf8.decode(bytes)
  } catch {
    return unreadable('The body is not UTF-8.')
  }
  const entries = text.replace(strings, '').match(/[,[{]/g) ?? []
  if (entries.length > maxEntries) {
    return unreadable(`The body holds more than ${maxEntries} members and items.`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unreadable(text.trim() === '' ? 'The body is empty.' : 'The body is not JSON.')
  }
  if (!isObject(value)) {
    return unreadable('The body is not a JSON object.')
  }
  inspect(value, [], problems)
  return value
}

/** Is a value of JSON an object, and no array? */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member's name as a reference token of a JSON pointer (RFC 6901, section 3). */
export function pointerToken(name: PropertyKey): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The maximum length of a pointer in an error, in characters. */
const maxPointerLength = 256

/** The JSON pointer of a path. Where it would be too long for an error, the pointer of the nearest ancestor. */
export function pointerOf(path: readonly PropertyKey[]): string {
  let pointer = ''
  for (const name of path) {
    // The rest of a longer name would not fit into the pointer.
    const token = pointerToken(String(name).slice(0, maxPointerLength))
    if (pointer.length + token.length > maxPointerLength) {
      break
    }
    pointer += token
  }
  return pointer
}

/** A copy of a value of JSON down to a level. Deeper values are not copied: a whole copy of a deep body would use up the stack. */
export function copyOf(value: unknown, levels: number): unknown {
  const copy = (each: unknown) => copyOf(each, levels - 1)
  if (levels === 0 || typeof value !== 'object' || value === null) {
    return value
  }
  return Array.isArray(value)
    ? value.map(copy)
    : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each)]))
}

/** Can the string be stored as it was sent? NUL and lone surrogates cannot. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Adds the problems of a value and all values in it. `path` leads to the value; one array serves for all paths. */
function inspect(value: unknown, path: PropertyKey[], problems: ProblemList): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) {
      problems.add(() => unstorable('The string holds NUL or a lone surrogate.', path))
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>
    for (const name of Object.keys(members)) {
      path.push(name)
      if (name.startsWith('@')) {
        Reflect.deleteProperty(members, name)
      } else if (name === '__proto__' || !isStorable(name)) {
        Reflect.deleteProperty(members, name)
        problems.add(() => unstorable('The name of this member is not allowed.', path))
      } else {
        inspect(members[name], path, problems)
      }
      path.pop()
    }
  }
}

function unstorable(detail: string, path: readonly PropertyKey[]): Problem {
  const pointer = pointerOf(path.map((name) => String(name).toWellFormed()))
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { pointer } }
}
