import fc, { type Arbitrary } from 'fast-check'
import { textOf } from './values.ts'

type Path = readonly (string | number)[]

/** What is done at a place in the body. */
export type Mutation =
  | { readonly kind: 'remove' }
  | { readonly kind: 'add'; readonly names: readonly string[] }
  | { readonly kind: 'replace'; readonly value: unknown }
  | { readonly kind: 'multiply'; readonly times: number }

/** Values of every wrong kind, and texts that no string of a body may be. */
const odd: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 2 ** 63, '', ' ', [], {}, [[]], { data: null }],
  ...['a\u0000b', '\u0000', '\ud800', 'x\udfff', '\udc00\ud800'],
  ...['x'.repeat(5_000), 'x'.repeat(60_000)],
]

const names = ['x', '__proto__', 'constructor', 'toString', 'owner', 'id', 'type', 'data']

/** Many members; the last of these make a body of nearly the bytes that are allowed. */
const floods = [50, 1_000, 5_000].map((length) => Array.from({ length }, (_, nth) => `m${nth}`))

/** Ways to spoil a body. */
export const mutation: Arbitrary<Mutation> = fc.oneof(
  fc.constant({ kind: 'remove' } as const),
  fc.constantFrom(...names).map((name) => ({ kind: 'add', names: [name] }) as const),
  fc.constantFrom(...floods).map((many) => ({ kind: 'add', names: many }) as const),
  fc
    .oneof({ weight: 2, arbitrary: fc.constantFrom(...odd) }, textOf(1, 300))
    .map((value) => ({ kind: 'replace', value }) as const),
  fc.constantFrom(2, 21, 101, 500, 2_000).map((times) => ({ kind: 'multiply', times }) as const),
)

/** The most characters of a list that is made longer: four times the body that the service takes. */
const longestList = 256 * 1024

/** Does a body hold what must be refused wherever it stands: text that cannot be stored, or a name that reaches the prototype? */
export function isHostile(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed()
  }
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([name, member]) => name === '__proto__' || isHostile(member))
  )
}

/**
 * Gives a body with something done to it, at the place that the number picks.
 *
 * @param place any natural number
 */
export function mutate(body: unknown, place: number, mutation: Mutation): unknown {
  const paths = pathsOf(body)
  const path = paths[place % paths.length] ?? []
  const copy = structuredClone(body)
  const parent = path.slice(0, -1).reduce<unknown>((node, key) => (node as never)[key], copy)
  const last = path.at(-1)
  const old = last === undefined ? copy : (parent as Record<string | number, unknown>)[last]
  const put = (value: unknown): unknown => {
    if (last === undefined) {
      return value
    }
    ;(parent as Record<string | number, unknown>)[last] = value
    return copy
  }
  switch (mutation.kind) {
    case 'remove':
      if (Array.isArray(parent)) {
        parent.splice(Number(last), 1)
      } else if (last !== undefined) {
        delete (parent as Record<string, unknown>)[String(last)]
      }
      return last === undefined ? null : copy
    case 'add': {
      const isObject = typeof old === 'object' && old !== null && !Array.isArray(old)
      const members = mutation.names.map((name) => {
        return [name, { value: 1, enumerable: true, configurable: true, writable: true }] as const
      })
      return put(Object.defineProperties(isObject ? old : {}, Object.fromEntries(members)))
    }
    case 'multiply': {
      const items = Array.isArray(old) && old.length > 0 ? old : [old]
      const most = Math.ceil((longestList * items.length) / JSON.stringify(items).length)
      const length = Math.min(mutation.times, most)
      // Copies, so that what a further mutation does to one item is not done to all of them.
      const many = Array.from({ length }, (_, index) =>
        structuredClone(items[index % items.length]),
      )
      return put(many)
    }
    case 'replace':
      return put(mutation.value)
  }
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))
      : []
  return [path, ...inner]
}

/** Bodies that are no JSON:API document however they are read; the string stands for its bytes in Latin-1. */
export const noDocuments: readonly string[] = [
  ...['', ' ', 'null', '[]', '1', '"data"', '{', '{"data":', '{"data":{}', "{'data':{}}", '{}{}'],
  ...['{"data":{},}', '{"data":NaN}', '\u0000', '\u00ff\u00fe{\u0000}\u0000'],
  '{"data":{"type":"users","attributes":{"fullName":"\u00c3\u0028"}}}',
  '{"data":"\u00ed\u00a0\u0080"}',
  '['.repeat(100_000),
  `${'{"data":'.repeat(33)}1${'}'.repeat(33)}`,
  `{"data":"${'x'.repeat(70_000)}"}`,
]
