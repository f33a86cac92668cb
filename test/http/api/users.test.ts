import { beforeAll, describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { withKnownFields } from '../../support/fields.ts'
import { createUser, type OwnUser, toBrothers, toCountries } from '../../support/people.ts'
import { get, person, tokenFor, uniqueSubject } from '../../support/service.ts'

const addresses = [{ city: 'Oslo', zip: '0150', doorCode: '4711' }, { city: 'Bergen' }]
const withoutDoorCode = [{ city: 'Oslo', zip: '0150' }, { city: 'Bergen' }]
const card = '4242 4242 4242 4242'

let seen: OwnUser
let other: OwnUser
let email: string

beforeAll(async () => {
  other = await createUser()
  email = `${crypto.randomUUID()}@example.com`
  seen = await createUser({
    attributes: { fullName: 'Nina Berg', email, addresses, creditCardNumber: card },
    relationships: {
      citizenships: toCountries('FI', 'NO'),
      placeOfBirth: { data: { type: 'countries', id: 'SE' } },
      relatives: toBrothers(other.id),
    },
  })
})

const everything = 'users.read users.sensitive.read users.citizenships.read users.write'

/** A caller of the kind, and what of a user it sees. */
interface Row {
  readonly who: string
  readonly owns: boolean
  readonly client?: boolean
  readonly scope: string
  readonly shows: readonly string[]
}

/** Who sees what: by kind of token, scopes and ownership. */
const matrix: readonly Row[] = [
  { who: 'a client', owns: false, client: true, scope: '', shows: [] },
  { who: 'a client with every scope', owns: false, client: true, scope: everything, shows: [] },
  { who: 'a person', owns: false, scope: '', shows: [] },
  { who: 'a person', owns: false, scope: 'users.write', shows: [] },
  { who: 'a person', owns: false, scope: 'users.sensitive.read', shows: [] },
  { who: 'a person', owns: false, scope: 'users.citizenships.read', shows: ['citizenships'] },
  {
    who: 'a person',
    owns: false,
    scope: 'users.read',
    shows: ['attributes', 'placeOfBirth', 'relatives'],
  },
  {
    who: 'a person',
    owns: false,
    scope: 'users.read users.sensitive.read',
    shows: ['attributes', 'doorCode', 'placeOfBirth', 'relatives'],
  },
  {
    who: 'a person',
    owns: false,
    scope: everything,
    shows: ['attributes', 'doorCode', 'placeOfBirth', 'relatives', 'citizenships'],
  },
  { who: 'the owner', owns: true, scope: '', shows: [] },
  { who: 'the owner', owns: true, scope: 'users.sensitive.read', shows: [] },
  { who: 'the owner', owns: true, scope: 'users.citizenships.read', shows: ['citizenships'] },
  {
    who: 'the owner',
    owns: true,
    scope: 'users.read',
    shows: ['attributes', 'doorCode', 'placeOfBirth', 'relatives'],
  },
  {
    who: 'the owner',
    owns: true,
    scope: 'users.read users.sensitive.read',
    shows: ['attributes', 'doorCode', 'card', 'placeOfBirth', 'relatives'],
  },
  {
    who: 'the owner',
    owns: true,
    scope: everything,
    shows: ['attributes', 'doorCode', 'card', 'placeOfBirth', 'relatives', 'citizenships'],
  },
  {
    who: 'a client named like the owner',
    owns: true,
    client: true,
    scope: everything,
    shows: [],
  },
]

function tokenOf({ owns, client = false, scope }: Row): Promise<string> {
  const sub = owns ? seen.owner : uniqueSubject()
  return tokenFor({ sub, scope, ...(client && { client: sub }) })
}

/** The resource that a caller should get. */
function expected(shows: readonly string[]): Resource {
  const attributes = {
    fullName: 'Nina Berg',
    email,
    addresses: shows.includes('doorCode') ? addresses : withoutDoorCode,
    ...(shows.includes('card') && { creditCardNumber: card }),
  }
  const linkage: Readonly<Record<string, unknown>> = {
    citizenships: [
      { type: 'countries', id: 'FI' },
      { type: 'countries', id: 'NO' },
    ],
    placeOfBirth: { type: 'countries', id: 'SE' },
    relatives: [{ type: 'users', id: other.id, meta: { relationshipType: 'BROTHER' } }],
  }
  const relationships = Object.entries(linkage).map(([name, data]) => [
    name,
    {
      links: {
        self: `/jsonapi/users/${seen.id}/relationships/${name}`,
        related: `/jsonapi/users/${seen.id}/${name}`,
      },
      ...(shows.includes(name) && { data }),
    },
  ])
  return {
    type: 'users',
    id: seen.id,
    ...(shows.includes('attributes') && { attributes }),
    relationships: Object.fromEntries(relationships),
    links: { self: `/jsonapi/users/${seen.id}` },
  }
}

it.each(matrix)('$who with scopes "$scope" sees of a user $shows', async (row) => {
  const { shows } = row
  const read = async (query: string) =>
    withKnownFields((await get(`/users${query}`, await tokenOf(row))).document)

  expect((await read(`/${seen.id}`)).data).toEqual(expected(shows))
  expect((await read(`?filter[id]=${seen.id}`)).data).toEqual([expected(shows)])
  const fields = 'fullName,email,addresses,creditCardNumber,citizenships,placeOfBirth,relatives'
  expect((await read(`/${seen.id}?fields[users]=${fields}`)).data).toEqual(expected(shows))
  const { included } = await read(`/${seen.id}?include=citizenships,placeOfBirth,relatives`)
  const linked = [
    ...(shows.includes('citizenships') ? ['FI', 'NO'] : []),
    ...(shows.includes('placeOfBirth') ? ['SE'] : []),
    ...(shows.includes('relatives') ? [other.id] : []),
  ]
  expect(included?.map(({ id }) => id).sort()).toEqual(linked.sort())
})

describe('rules for every user of a document, each by its own owner', () => {
  it('show one’s own card only, among included users', async () => {
    const mine = await createUser({
      attributes: { creditCardNumber: '5555-5555-5555-4444' },
      relationships: { relatives: toBrothers(seen.id) },
    })
    const root = await createUser({ relationships: { relatives: toBrothers(mine.id) } })
    const path = `/users/${root.id}?include=relatives.relatives`
    const { included = [] } = (await get(path, mine.token)).document
    const cards = included.map(({ id, attributes }) => [id, attributes?.creditCardNumber])
    expect(new Map(cards as [string, unknown][])).toEqual(
      new Map([
        [mine.id, '5555-5555-5555-4444'],
        [seen.id, undefined],
      ]),
    )
  })

  it('never show the owner', async () => {
    const { text } = await get(`/users/${seen.id}`, await person(seen.owner, everything))
    expect(text).not.toContain(seen.owner)
  })
})
