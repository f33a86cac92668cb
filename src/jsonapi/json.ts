import { FaultList, type Faults, type Problem } from './errors.ts'

/**
 * The largest request body, in bytes, the deepest, in nested arrays and objects, and the most members of objects and items of
 * arrays in it, an empty one counted as one (contract, section 5). The fullest transaction has some 2,500.
 */
export const bodyLimits = { bytes: 64 * 1024, depth: 32, entries: 3_000 } as const

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A parsed JSON object with the faults of strings and names in it, or the problem because of which it could not be read. */
export type ParsedBody =
  | ({ readonly ok: true; readonly value: object } & Faults)
  | { readonly ok: false; readonly problem: Problem }

/**
 * Reads a request body: a JSON object in UTF-8, within {@link bodyLimits}, without a repeated name in any object (RFC 8259
 * leaves open what a repeated name means). Strings that cannot be stored (with NUL or lone surrogates) and names that would
 * reach the prototype are faults at their pointer. Members whose names begin with `@` are dropped, as JSON:API 1.1 asks
 * ("Member Names").
 */
export function parseBody(bytes: Uint8Array | ArrayBuffer): ParsedBody {
  const refuse = (detail: string): ParsedBody => ({
    ok: false,
    problem: { code: 'INVALID_PAYLOAD', detail },
  })
  if (bytes.byteLength > bodyLimits.bytes) {
    return refuse(`The body is over ${bodyLimits.bytes} bytes.`)
  }
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return refuse('The body is not UTF-8.')
  }
  const fault = structureFault(text)
  if (fault) {
    return refuse(fault)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse('The body is not JSON.')
  }
  if (!isObject(value)) {
    return refuse('The body is not a JSON object.')
  }
  const faults = new FaultList()
  inspect(value, [], faults)
  return { ok: true, value, problems: faults.problems, omitted: faults.omitted }
}

/** Is a value of JSON an object, and no array? */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member's name as a reference token of a JSON pointer (RFC 6901, section 3). */
export function pointerToken(name: PropertyKey): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The longest pointer in an error, in characters. */
const longestPointer = 256

/** The JSON pointer of a path. Where it would be too long for an error, the pointer of the nearest ancestor. */
export function pointerOf(path: readonly PropertyKey[]): string {
  let pointer = ''
  for (const name of path) {
    // No name is spelled further than the longest pointer reaches.
    const token = pointerToken(String(name).slice(0, longestPointer))
    if (pointer.length + token.length > longestPointer) {
      break
    }
    pointer += token
  }
  return pointer
}

/** Can the string be stored as it was sent? NUL and lone surrogates cannot. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * Finds excessive depth, too many entries and repeated names before JSON.parse sees the text: it would take any depth and any number
 * at a high cost, and the last of two members with one name. Each character is looked at once.
 */
function structureFault(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let name: { readonly start: number; readonly end: number } | undefined
  let entries = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === '"') {
      name = { start: index, end: endOfString(text, index) }
      index = name.end - 1
    } else if (character === '{' || character === '[') {
      if (open.length === bodyLimits.depth) {
        return `The body is nested deeper than ${bodyLimits.depth} levels.`
      }
      open.push(character === '{' ? new Set() : undefined)
      entries++
    } else if (character === ',') {
      entries++
    } else if (character === '}' || character === ']') {
      open.pop()
    } else if (character === ':' && name) {
      const names = open.at(-1)
      const plain = unescapeName(text.slice(name.start, name.end))
      name = undefined
      if (names?.has(plain)) {
        return `The body has the member ${JSON.stringify(plain.slice(0, 64))} twice.`
      }
      names?.add(plain)
    }
    if (entries > bodyLimits.entries) {
      return `The body holds more than ${bodyLimits.entries} members and items.`
    }
  }
  return undefined
}

/** The index behind the string that begins at `start`: behind its closing quote, or the end of the text where it has none. */
function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && text.charAt(index) !== '"') {
    index += text.charAt(index) === '\\' ? 2 : 1
  }
  return index + 1
}

function unescapeName(token: string): string {
  if (!token.includes('\\')) {
    return token.slice(1, -1)
  }
  try {
    return JSON.parse(token)
  } catch {
    return token
  }
}

/**
 * Adds the faults of a value and all values in it. `path` leads to the value; one array serves for all paths. A body may hold
 * thousands of values, so that no list of entries is made of an array.
 */
function inspect(value: unknown, path: PropertyKey[], faults: FaultList): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) {
      faults.add(() => unstorable('The string holds NUL or a lone surrogate.', path))
    }
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      path.push(index)
      inspect(value[index], path, faults)
      path.pop()
    }
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      path.push(name)
      if (name.startsWith('@')) {
        Reflect.deleteProperty(value, name)
      } else if (name === '__proto__' || !isStorable(name)) {
        Reflect.deleteProperty(value, name)
        faults.add(() => unstorable('The name of this member is not allowed.', path))
      } else {
        inspect(value[name], path, faults)
      }
      path.pop()
    }
  }
}

function unstorable(detail: string, path: readonly PropertyKey[]): Problem {
  const pointer = pointerOf(path.map((name) => String(name).toWellFormed()))
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { pointer } }
}
