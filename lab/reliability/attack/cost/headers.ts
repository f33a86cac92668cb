import { mediaType } from '../../fuzz/world.ts'
import { type Candidate, unique } from './candidate.ts'
import type { Gene, Genome } from './genes.ts'
import { repeated, type Text } from './text.ts'

/** Headers that the service reads, and what makes them long. */
const read: Readonly<Record<string, readonly string[]>> = {
  Accept: [',', 'a/b;q=0.1,', `${mediaType};ext="x",`, ';x="', '"', '*/*;q=0.001,', ' '],
  'If-None-Match': [',', '"x",', 'W/"x",', '"', ' ', 'x'],
  'If-Match': [',', '"x",', 'W/"x",', '"', ' ', '*,'],
  'X-D1-Bookmark': ['Z', '0', '-'],
  'Idempotency-Key': ['x', '"', `${unique}`],
  Origin: ['https://x.example', 'x'],
  'Content-Type': [';a=b', '"', `${mediaType},`, ' ', ';ext="https://jsonapi.org/ext/atomic"'],
  'Content-Encoding': ['gzip,', 'identity', ','],
  'CF-Connecting-IP': ['1.1.', ':', 'f'],
}

/** Characters of all headers together that the runtime takes in. */
const longest = 30_000

/** The genes of the headers: what each repeats, and how often. */
export const headerGenes: readonly Gene[] = Object.entries(read).flatMap(([name, texts]) => [
  { name: `${name} of`, most: texts.length },
  { name: `${name} length`, most: longest },
])

/** The headers, without `Authorization`. */
export function headersOf(
  genome: Genome,
  hasBody: boolean,
  plainType: string = mediaType,
): Candidate['headers'] {
  let room = longest
  const plain: Readonly<Record<string, string>> = {
    Accept: plainType,
    ...(hasBody && { 'Content-Type': plainType }),
  }
  return Object.entries(read).flatMap(([name, texts]): [string, Text][] => {
    const text = texts[(genome[`${name} of`] ?? 0) - 1]
    if (text === undefined) {
      const value = plain[name]
      return value === undefined ? [] : [[name, [value]]]
    }
    const count = Math.min(
      Math.floor((genome[`${name} length`] ?? 0) / text.length),
      Math.floor(room / text.length),
    )
    room -= count * text.length
    const start = plain[name] ?? (name === 'Idempotency-Key' ? unique : '')
    return [[name, [start, ...repeated(text, count)]]]
  })
}
