import { expect, it } from 'vitest'
import { uniqueEmail, writer } from '../../support/people.ts'
import { type Answer, clientToken, get, reader, request } from '../../support/service.ts'

/** The code and the place of each fault that an answer tells. */
const told = ({ faults }: Answer) =>
  faults.map((fault) => fault.replace(/^\d+ /, '').replace(/ (?:pointer|parameter) /, ' ')).sort()

/** Faults by their code. */
const sorted = (faults: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(faults)
    .flatMap(([code, places]) => places.map((place) => `${code} ${place}`))
    .sort()

const [attributes, links] = ['/data/attributes', '/data/relationships']
const country = (members: object) => ({ type: 'countries', id: 'NO', ...members })
const relative = (id: string, members: object) => ({ type: 'users', id, ...members })

async function create(body: object, query = '', headers = {}): Promise<Answer> {
  const { token } = await writer()
  return request('POST', `/jsonapi/users${query}`, { token, body, headers })
}

it('A create tells every fault of its query, its key and its body, each once, with its place', async () => {
  const addresses = [
    ...[{}, { street: 'x' }, { city: ' ' }, { city: '', zip: 'a\tb' }, { doorCode: 7 }],
    ...[{ city: null }, null, 'Oslo'],
  ]
  const citizenships = [
    ...[{ type: 'users', id: 'NO' }, { type: 'countries' }, country({ id: 7 }), {}, 'NO'],
    ...[country({ meta: 'since' }), country({ lid: 1 })],
  ]
  const relatives = [
    ...[relative('x', {}), relative('y', { meta: {} })],
    relative('z', { meta: { relationshipType: 'AUNT' } }),
    relative('w', { attributes: {}, meta: { relationshipType: 'SON', more: 1 } }),
  ]
  const answer = await create(
    {
      included: {},
      errors: [],
      data: {
        ...{ type: 'people', id: '1', lid: 7, meta: 'x', more: 1 },
        attributes: { fullName: ' x', email: null, creditCardNumber: '1', age: 1, addresses },
        relationships: {
          friends: { data: [] },
          placeOfBirth: { data: 'NO' },
          citizenships: { data: citizenships },
          relatives: { data: relatives },
        },
      },
    },
    '?include=relatives&fields[users]=age',
    { 'idempotency-key': 'a b' },
  )
  const [at, citizen, kin] = [
    `${attributes}/addresses`,
    `${links}/citizenships/data`,
    `${links}/relatives/data`,
  ]
  expect([answer.status, told(answer)]).toEqual([
    400,
    sorted({
      UNEXPECTED_PARAMETER: ['include'],
      INVALID_ENUM_VALUE: [
        ...['fields[users]', `${citizen}/0/type`, `${kin}/2/meta/relationshipType`],
      ],
      CONFLICT: ['/data/type'],
      CLIENT_GENERATED_ID_NOT_SUPPORTED: ['/data/id'],
      VALUE_IS_ABSENT: [
        ...[`${attributes}/email`, `${at}/5/city`, `${at}/6`],
        ...[`${citizen}/1`, `${citizen}/3`, `${citizen}/3`, `${kin}/0`, `${kin}/1/meta`],
      ],
      VALUE_INVALID_FORMAT: [
        'header Idempotency-Key',
        ...['/included', '/errors', '/data/lid', '/data/meta', '/data/more'],
        ...['fullName', 'creditCardNumber', 'age'].map((name) => `${attributes}/${name}`),
        ...['/0', '/1', '/1/street', '/2/city', '/3/city', '/3/zip', '/4/doorCode', '/7'].map(
          (place) => at + place,
        ),
        ...[`${links}/friends`, `${links}/placeOfBirth/data`, `${kin}/3/attributes`],
        ...['/2/id', '/4', '/5/meta', '/6/lid'].map((place) => citizen + place),
      ],
    }),
  ])
  expect(answer.document.errors?.map(({ detail }) => detail)).toContain(
    '"a b" is not a key. A key has 1 to 255 visible ASCII characters, with or without quotes around them.',
  )
})

it('Of a list that is too long a create tells that, and the faults of its first items', async () => {
  const addresses = [{ city: 7 }, ...Array(20).fill({ city: 'Oslo' }), { city: 7 }]
  const citizenships = { data: [country({ id: 7 }), ...Array(100).fill(country({}))] }
  const user = { fullName: 'Ann', email: uniqueEmail() }
  const long = {
    type: 'users',
    attributes: { ...user, addresses },
    relationships: { citizenships },
  }
  expect(told(await create({ data: long }))).toEqual(
    ['/addresses', '/addresses/0/city']
      .map((at) => `VALUE_INVALID_FORMAT ${attributes}${at}`)
      .concat(['', '/0/id'].map((at) => `VALUE_INVALID_FORMAT ${links}/citizenships/data${at}`)),
  )
})

it.each([50, 51, 60])('Of %i faults a create tells 50, and of more their number', async (count) => {
  const unknown = Object.fromEntries(Array.from({ length: count }, (_, nth) => [`no${nth}`, 1]))
  const attributes = { fullName: 'Ann', email: uniqueEmail(), ...unknown }
  const { errors = [] } = (await create({ data: { type: 'users', attributes } })).document
  const said = / There are at least (\d+) errors;/.exec(errors.at(-1)?.detail ?? '')?.[1]
  expect([errors.length, said]).toEqual([50, count > 50 ? String(count) : undefined])
})

it('A read tells every fault of its query, each once, and that of a cursor where sort and filters are valid', async () => {
  const page = await get('/users?sort=-email', await reader())
  const foreign = String(page.document.meta?.['pagination.nextCursor'])
  const faulty = [
    ...['include=friends,,aunts', 'fields[users]=age,addresses.street', 'fields[planets]=name'],
    ...['fields%5Bmoons%5D=x', 'page[limit]=101', 'page[offset]=-1', 'filter[region]=Asia'],
    ...['broken=%zz', 'half%5=x', 'no=x'],
  ]
  const unknown = ['include', 'include', 'fields[users]', 'fields[users]', 'fields[planets]']
  const invalid = ['include', 'page[limit]', 'page[offset]', 'broken', 'half%5']
  const ids = `filter[id]=${Array(21).fill('1')}`
  for (const [more, sorts, others] of [
    [[], [], []],
    [[`page[cursor]=${foreign}`], [], ['page[cursor]', 'page[offset]']],
    [['page[cursor]=!', 'sort=age'], ['sort'], ['page[cursor]', 'page[offset]']],
    [
      [`page[cursor]=${foreign}`, 'sort=age,,-height,1,2,3', ids],
      Array(4).fill('sort'),
      ['page[offset]', 'sort', 'sort', 'filter[id]'],
    ],
  ] as const) {
    const path = `/users?${[...more, ...faulty].join('&')}`
    expect(told(await get(path, await clientToken()))).toEqual(
      sorted({
        INVALID_ENUM_VALUE: [...unknown, 'fields[moons]', ...sorts],
        UNEXPECTED_PARAMETER: ['filter[region]', 'broken', 'no'],
        VALUE_INVALID_FORMAT: [...invalid, ...others],
      }),
    )
  }
})
