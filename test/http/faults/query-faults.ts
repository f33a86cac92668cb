import fc, { type Arbitrary } from 'fast-check'
import type { Fault } from './fault.ts'

/** A part of a query string, and what is wrong with it. */
interface Part {
  readonly query: readonly string[]
  readonly faults: readonly Fault[]
  /** Does it hold an invalid sort or filter? A cursor is compared with valid ones only. */
  readonly noScope?: boolean
}

const enumeration = 'INVALID_ENUM_VALUE'
const format = 'VALUE_INVALID_FORMAT'

function fault(code: string, parameter: string): Fault {
  return { code, source: { parameter } }
}

/** A list with some of these items, each with a fault of its own; an empty item; more items than it may have. */
function list(name: string, bad: readonly string[], most?: number): Arbitrary<Part> {
  return fc
    .record({ items: fc.subarray([...bad, '']), tooLong: fc.boolean() })
    .filter(({ items, tooLong }) => items.length > 0 || (tooLong && most !== undefined))
    .map(({ items, tooLong }) => {
      const isLong = tooLong && most !== undefined
      // The same item twice is told once, and a single comma is two empty items.
      const twice = items.length === 1 ? [...items, ...items] : items
      const sent = isLong ? [...items, ...Array(most + 1).fill('none')] : twice
      return {
        query: [`${name}=${sent}`],
        faults: [
          ...items.map((item) => fault(item === '' ? format : enumeration, name)),
          ...(isLong ? [fault(enumeration, name), fault(format, name)] : []),
        ],
        noScope: name === 'sort',
      }
    })
}

function one(query: string, ...faults: Fault[]): Arbitrary<Part> {
  return fc.constant({ query: [query], faults })
}

/** Parts of the query string of GET /users, of which any may stand together. */
const parts: readonly Arbitrary<Part>[] = [
  list('include', ['friends', 'aunts', 'relatives.pets'], 10),
  list('sort', ['age', '-height'], 5),
  list('fields[users]', ['age', 'addresses.street', 'height']),
  list('fields[countries]', ['flag', 'anthem']),
  list('fields[currencies]', ['coin']),
  fc.constantFrom('0', '101', 'x', '', '1.5', '-3').map((limit) => ({
    query: [`page[limit]=${limit}`],
    faults: [fault(format, 'page[limit]')],
  })),
  fc.constantFrom('-1', 'x', '9223372036854775808').map((offset) => ({
    query: [`page[offset]=${offset}`],
    faults: [fault(format, 'page[offset]')],
  })),
  fc.constant({
    query: [`filter[id]=${Array(21).fill('1')}`],
    faults: [fault(format, 'filter[id]')],
    noScope: true,
  }),
  one('fields[planets]=name', fault(enumeration, 'fields[planets]')),
  one('fields%5Bmoons%5D=name', fault(enumeration, 'fields[moons]')),
  one('filter[region]=Europe', fault('UNEXPECTED_PARAMETER', 'filter[region]')),
  one('broken=%zz', fault(format, 'broken'), fault('UNEXPECTED_PARAMETER', 'broken')),
  one('half%5=x', fault(format, 'half%5')),
  ...Array.from({ length: 40 }, (_, index) =>
    one(`no${index}=x`, fault('UNEXPECTED_PARAMETER', `no${index}`)),
  ),
]

/** A cursor beside all else: not one of this service, or one of another query. */
function withCursor(sent: Part, cursor: string | undefined): Part {
  if (cursor === undefined) {
    return sent
  }
  const beside = sent.query.some((part) => part.startsWith('page[offset]'))
  const isJudged = cursor === '!' || !sent.noScope
  return {
    query: [...sent.query, `page[cursor]=${cursor}`],
    faults: [
      ...sent.faults,
      ...(isJudged ? [fault(format, 'page[cursor]')] : []),
      ...(beside ? [fault(format, 'page[offset]')] : []),
    ],
  }
}

/**
 * Query strings of GET /users with faults of many kinds at once, in any order, and the faults that a caller without any
 * scope is to be told.
 *
 * @param foreign a cursor that belongs to another query
 */
export function faultyQueries(foreign: string): Arbitrary<Part> {
  return fc
    .tuple(
      fc
        .subarray([...parts], { minLength: 1 })
        .chain((chosen) => fc.tuple(...chosen))
        .chain((chosen) => fc.shuffledSubarray(chosen, { minLength: chosen.length })),
      fc.constantFrom(undefined, '!', foreign),
    )
    .map(([chosen, cursor]) =>
      withCursor(
        {
          query: chosen.flatMap(({ query }) => query),
          faults: chosen.flatMap(({ faults }) => faults),
          noScope: chosen.some((part) => part.noScope),
        },
        cursor,
      ),
    )
}
