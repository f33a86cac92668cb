import fc, { type Arbitrary } from 'fast-check'
import { unique } from '../../../test/fuzz/values.ts'
import { mediaType, type Parameter } from './description.ts'

/** Characters of the longest URL that the platform takes, less those of a path. */
const longest = 16_384 - 300

/** How long a list is: hundreds of items, about as many as a query string may hold, or as many as a URL holds. */
const lengths = fc.constantFrom(100, 1_000, 4_000, longest)

/** Pairs as long as a URL may be, none of them right: for every list commas alone, and items that there are not. */
export function longPairs(parameters: readonly Parameter[]): Arbitrary<string> {
  const names = parameters.filter(({ schema }) => schema.type === 'array').map(({ name }) => name)
  const lists = names.flatMap((name) => [
    lengths.map((length) => `${name}=${filled(',', length, name)}`),
    lengths.map((length) => `${name}=${filled('%2C', length, name)}`),
    lengths.map((length) => `${name}=${filled(',,x', length, name)}`),
    lengths.map((length) => filled(`${name}=&`, length, '')),
  ])
  return fc.oneof(
    lengths.map((length) => filled('x=1&', length, '')),
    lengths.map((length) => many((index) => `x${index}=&`, length)),
    lengths.map((length) => filled('%&', length, '')),
    ...tooMany(parameters),
    ...lists,
  )
}

/** Lists longer than their bound, whose items are all right. */
function tooMany(parameters: readonly Parameter[]): Arbitrary<string>[] {
  return parameters
    .filter(({ schema }) => schema.type === 'array' && schema.maxItems !== undefined)
    .map(({ name, schema }) => {
      const item = String(schema.items?.enum?.[0] ?? schema.items?.example ?? 'x')
      return lengths.map((length) => `${name}=${filled(`${item},`, length, name)}${item}`)
    })
}

/** Long lists that are right but perhaps for their length: where nothing else bounds them, what is repeated says nothing new. */
export function goodLong(parameters: readonly Parameter[]): Arbitrary<string> {
  const unbounded = parameters.filter(
    ({ schema }) => schema.type === 'array' && schema.items?.enum && schema.maxItems === undefined,
  )
  return fc.oneof(
    fc.constant(''),
    ...unbounded.map(({ name, schema }) => {
      const items = (schema.items?.enum ?? []).map(String)
      return lengths.map(
        (length) => `${name}=${filled(`${items.join(',')},`, length, name)}${items[0]}`,
      )
    }),
  )
}

/** The text as often as the length allows, at least 21 times. */
function filled(text: string, length: number, name: string): string {
  return text.repeat(Math.max(21, Math.floor((length - name.length - 40) / text.length)))
}

function many(text: (index: number) => string, length: number): string {
  let all = ''
  for (let index = 0; all.length < length - 20; index++) {
    all += text(index)
  }
  return all
}

/** Headers that the service reads, and what makes them long. */
const read: Readonly<Record<string, readonly string[]>> = {
  Accept: [',', 'a/b;q=0.1,', `${mediaType};ext="x",`, ';x="', '"', '*/*;q=0.001,', ' '],
  'If-None-Match': [',', '"x",', 'W/"x",', '"', ' ', 'x'],
  'If-Match': [',', '"x",', 'W/"x",', '"', ' ', '*,'],
  'X-D1-Bookmark': ['Z', '0', '-'],
  'Idempotency-Key': ['x', '"', unique],
  Origin: ['https://x.example', 'x'],
  'Content-Type': [';a=b', '"', `${mediaType},`, ' ', ';ext="https://jsonapi.org/ext/atomic"'],
  'Content-Encoding': ['gzip,', 'identity', ','],
  'CF-Connecting-IP': ['1.1.', ':', 'f'],
}

/** One or two long headers, together as long as the runtime takes them. */
export const longHeaders: Arbitrary<readonly (readonly [name: string, value: string])[]> = fc.array(
  fc
    .tuple(fc.constantFrom(...Object.keys(read)), fc.nat(6), fc.constantFrom(1, 100, 4_000, 15_000))
    .map(([name, nth, length]) => {
      const texts = read[name] ?? ['x']
      const text = texts[nth % texts.length] ?? 'x'
      const start = name === 'Accept' || name === 'Content-Type' ? mediaType : ''
      return [name, start + text.repeat(Math.ceil(length / text.length))] as const
    }),
  { minLength: 1, maxLength: 2 },
)
