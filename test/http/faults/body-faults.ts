import fc, { type Arbitrary } from 'fast-check'
import type { Fault } from './fault.ts'

/** The body of a create and its query, as faults are put in; each has a place of its own. */
interface Draft {
  readonly query: string[]
  readonly top: Record<string, unknown>
  readonly data: Record<string, unknown>
  readonly attributes: Record<string, unknown>
  readonly addresses: object[]
  readonly relationships: Record<string, unknown>
  readonly citizenships: unknown[]
  readonly relatives: unknown[]
}

/** Puts a fault into a draft, and says which faults must be told. */
type Spoil = (draft: Draft) => readonly Fault[]

const format = 'VALUE_INVALID_FORMAT'
const absent = 'VALUE_IS_ABSENT'
const enumeration = 'INVALID_ENUM_VALUE'

function fault(code: string, pointer: string): Fault {
  return { code, source: { pointer } }
}

/** A member with one of some bad values. */
function bad(
  group: 'top' | 'data' | 'attributes' | 'relationships',
  name: string,
  at: string,
  ...values: readonly (readonly [value: unknown, code: string])[]
): Arbitrary<Spoil> {
  return fc.constantFrom(...values).map(([value, code]) => (draft: Draft) => {
    draft[group][name] = value
    return [fault(code, at)]
  })
}

/** One more item of a list, with faults of its own below its place in it. */
function item(
  list: 'addresses' | 'citizenships' | 'relatives',
  at: string,
  ...values: readonly (readonly [value: unknown, ...faults: (readonly [string, string])[]])[]
): Arbitrary<Spoil> {
  return fc.constantFrom(...values).map(([value, ...faults]) => (draft: Draft) => {
    const items: unknown[] = draft[list]
    const index = items.push(value) - 1
    return faults.map(([code, pointer]) => fault(code, `${at}/${index}${pointer}`))
  })
}

const attributes = '/data/attributes'
const links = '/data/relationships'

const address = item(
  'addresses',
  `${attributes}/addresses`,
  [{}, [format, '']],
  [{ street: 'x' }, [format, '/street'], [format, '']],
  [{ city: ' ' }, [format, '/city']],
  [{ city: '', zip: 'a\tb' }, [format, '/city'], [format, '/zip']],
  [{ city: 'Oslo', doorCode: 7 }, [format, '/doorCode']],
  [{ city: null }, [absent, '/city']],
  [null, [absent, '']],
  ['Oslo', [format, '']],
)

const citizenship = item(
  'citizenships',
  `${links}/citizenships/data`,
  [{ type: 'users', id: 'NO' }, [enumeration, '/type']],
  [{ type: 'countries' }, [absent, '']],
  [{ type: 'countries', id: 7 }, [format, '/id']],
  [{}, [absent, ''], [absent, '']],
  [{ type: 'countries', id: 'NO', meta: 'since' }, [format, '/meta']],
  [{ type: 'countries', id: 'NO', lid: 1 }, [format, '/lid']],
  ['NO', [format, '']],
)

const relative = item(
  'relatives',
  `${links}/relatives/data`,
  [{ type: 'users', id: 'x' }, [absent, '']],
  [{ type: 'users', id: 'y', meta: {} }, [absent, '/meta']],
  [
    { type: 'users', id: 'z', meta: { relationshipType: 'AUNT' } },
    [enumeration, '/meta/relationshipType'],
  ],
  [
    { type: 'users', id: 'w', attributes: {}, meta: { relationshipType: 'SON', more: 1 } },
    [format, '/attributes'],
  ],
)

/** The places of a create that can be spoiled, all of them at once if need be. */
const spoils: readonly Arbitrary<Spoil>[] = [
  bad('data', 'type', '/data/type', ['people', 'CONFLICT'], [7, format], [null, absent]),
  bad('data', 'id', '/data/id', ['1', 'CLIENT_GENERATED_ID_NOT_SUPPORTED']),
  bad('data', 'lid', '/data/lid', [7, format]),
  bad('data', 'meta', '/data/meta', ['x', format]),
  bad('data', 'more', '/data/more', [1, format]),
  bad('top', 'included', '/included', [{}, format]),
  bad('top', 'errors', '/errors', [[], format]),
  bad(
    'attributes',
    'fullName',
    `${attributes}/fullName`,
    ['', format],
    [' x', format],
    [7, format],
  ),
  bad('attributes', 'email', `${attributes}/email`, ['x', format], [null, absent], [[], format]),
  bad('attributes', 'creditCardNumber', `${attributes}/creditCardNumber`, ['1', format]),
  ...Array.from({ length: 15 }, (_, n) =>
    bad('attributes', `no${n}`, `${attributes}/no${n}`, [n, format]),
  ),
  bad('relationships', 'friends', `${links}/friends`, [{ data: [] }, format]),
  bad(
    'relationships',
    'placeOfBirth',
    `${links}/placeOfBirth/data`,
    [{ data: [] }, format],
    [{ data: 'NO' }, format],
  ),
  ...Array(6).fill(address),
  ...Array(6).fill(citizenship),
  ...Array(4).fill(relative),
  fc.constant(({ query }: Draft) => {
    query.push('include=relatives')
    return [{ code: 'UNEXPECTED_PARAMETER', source: { parameter: 'include' } }]
  }),
  fc.constant(({ query }: Draft) => {
    query.push('fields[users]=age')
    return [{ code: enumeration, source: { parameter: 'fields[users]' } }]
  }),
  fc.constant(({ addresses }: Draft) => {
    addresses.push(...Array(21).fill({ city: 'Oslo' }))
    return [fault(format, `${attributes}/addresses`)]
  }),
  fc.constant(({ citizenships }: Draft) => {
    citizenships.push(...Array(101).fill({ type: 'countries', id: 'NO' }))
    return [fault(format, `${links}/citizenships/data`)]
  }),
]

/** Creates with faults of many kinds at once, and the faults that are to be told. */
export const faultyCreates = fc
  .subarray([...spoils], { minLength: 1 })
  .chain((chosen) => fc.tuple(...chosen))
  .map((chosen) => {
    const draft: Draft = {
      query: [],
      top: {},
      data: { type: 'users' },
      attributes: { fullName: 'Ann Bee', email: `${crypto.randomUUID()}@example.com` },
      addresses: [],
      relationships: {},
      citizenships: [],
      relatives: [],
    }
    const faults = chosen.flatMap((spoil) => spoil(draft))
    const linkages = { citizenships: draft.citizenships, relatives: draft.relatives }
    const identifiers = Math.min(draft.citizenships.length, 100) + draft.relatives.length
    return {
      path: `/users?${draft.query.join('&')}`,
      body: {
        ...draft.top,
        data: {
          ...draft.data,
          attributes: { ...draft.attributes, addresses: draft.addresses },
          relationships: {
            ...draft.relationships,
            ...Object.fromEntries(Object.entries(linkages).map(([name, data]) => [name, { data }])),
          },
        },
      },
      faults: [
        ...faults,
        // All relationships together are one more list with a bound.
        ...(identifiers > 100 ? [fault(format, links)] : []),
      ],
    }
  })
