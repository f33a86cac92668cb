import { expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { withNamedFields } from '../../support/fields.ts'
import { allScopes, createUser, toBrothers, toCountries } from '../../support/people.ts'
import {
  type Answer,
  configuredService,
  get,
  person,
  tokenFor,
  uniqueSubject,
} from '../../support/service.ts'

/** A caller has the same bucket in all tests of withheld values. */
const service = await configuredService()

const addresses = [{ city: 'Oslo', zip: '0150', doorCode: '4711' }, { city: 'Bergen' }]
const withoutDoorCode = [{ city: 'Oslo', zip: '0150' }, { city: 'Bergen' }]
const card = '4242 4242 4242 4242'

const other = await createUser()
const email = `${crypto.randomUUID()}@example.com`
const seen = await createUser({
  attributes: { fullName: 'Nina Berg', email, addresses, creditCardNumber: card },
  relationships: {
    citizenships: toCountries('FI', 'NO'),
    placeOfBirth: { data: { type: 'countries', id: 'SE' } },
    relatives: toBrothers(other.id),
  },
})

type Caller = 'a person' | 'the owner' | 'a client' | 'a client named like the owner'

const own = 'attributes doorCode placeOfBirth relatives'

/** Who sees what of a user: by kind of token, scopes and ownership. */
const matrix: readonly (readonly [who: Caller, scope: string, shows: string])[] = [
  ['a client', '', ''],
  ['a client', allScopes, ''],
  ['a client named like the owner', allScopes, ''],
  ['a person', '', ''],
  ['a person', 'users.write', ''],
  ['a person', 'users.sensitive.read', ''],
  ['a person', 'users.citizenships.read', 'citizenships'],
  ['a person', 'users.read', 'attributes placeOfBirth relatives'],
  ['a person', 'users.read users.sensitive.read', own],
  ['a person', allScopes, `${own} citizenships`],
  ['the owner', '', ''],
  ['the owner', 'users.sensitive.read', ''],
  ['the owner', 'users.citizenships.read', 'citizenships'],
  ['the owner', 'users.read', own],
  ['the owner', 'users.read users.sensitive.read', `${own} card`],
  ['the owner', allScopes, `${own} card citizenships`],
]

function tokenOf(who: Caller, scope: string, { owner } = seen): Promise<string> {
  const sub = who.includes('owner') ? owner : uniqueSubject()
  return tokenFor({ sub, scope, ...(who.includes('client') && { client: sub }) })
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

it.each(matrix)('%s with scopes "%s" sees of a user "%s"', async (who, scope, parts) => {
  const shows = parts.split(' ')
  const read = async (query: string) =>
    withNamedFields((await get(`/users${query}`, await tokenOf(who, scope))).document)

  expect((await read(`/${seen.id}`)).data).toEqual(expected(shows))
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

it('an included user has the linkage of a to-many relationship where a path follows it, and else its links', async () => {
  const { id } = await createUser({ relationships: { relatives: toBrothers(seen.id) } })
  const included = async (include: string) => {
    const token = await person(uniqueSubject(), allScopes)
    const { document } = await get(`/users/${id}?include=${include}`, token)
    const user = document.included?.find((one) => one.id === seen.id)
    return Object.entries(user?.relationships ?? {}).flatMap(([name, { links, data }]) =>
      links && data !== undefined ? [name] : [],
    )
  }
  expect(await included('relatives')).toEqual(['placeOfBirth'])
  expect(await included('relatives.relatives')).toEqual(['placeOfBirth', 'relatives'])
})

it('a resource that two include paths reach has the linkage that either of them follows', async () => {
  const relationships = { citizenships: toCountries('NO'), relatives: toBrothers(seen.id) }
  const last = await createUser({ relationships })
  const between = await createUser({ relationships: { relatives: toBrothers(last.id) } })
  const relatives = toBrothers(between.id, last.id)
  const { id, token } = await createUser({ relationships: { relatives } })
  const path = `/users/${id}?include=relatives.relatives.citizenships`
  const shown = (await get(path, token)).document.included?.find((one) => one.id === last.id)
  expect(shown?.relationships).toMatchObject({
    citizenships: { data: [{ id: 'NO' }] },
    relatives: { data: [{ id: seen.id }] },
  })
})

it('fields[users]=addresses.doorCode shows no door code to a person who may not see it', async () => {
  const shownTo = async (sub: string, scope: string) => {
    const path = `/users/${seen.id}?fields[users]=addresses.doorCode`
    return (await get(path, await person(sub, scope))).document.data.attributes
  }
  expect(await shownTo(uniqueSubject(), 'users.read')).toBeUndefined()
  expect(await shownTo(seen.owner, 'users.read')).toEqual({ addresses: [{ doorCode: '4711' }] })
})

it('No answer shows the owner', async () => {
  const { text } = await get(`/users/${seen.id}`, await person(seen.owner, allScopes))
  expect(text).not.toContain(seen.owner)
})

/** Requests that could show the user `{own}`: by id, by filter, by include, by linkage; valid ones and others. */
const paths = [
  ...['/users/{own}?', '/users/{other}?', '/users/{other}?filter={own}&'],
  '/users?filter[id]={own},{other}&',
  '/users?page[limit]=1&filter[id]={own},{other},{somebody}&',
  ...['/users/{other}/relatives?', '/users/{other}/relationships/relatives?'],
  ...['/users/{own}/relationships/citizenships?', '/users/{own}/relationships/placeOfBirth?'],
].flatMap((path) =>
  [
    ...['', 'include=relatives,citizenships,placeOfBirth', 'fields[users]=addresses&sort=fullName'],
    'include=relatives.relatives&fields[users]=addresses.doorCode,creditCardNumber',
    'include=relatives&fields[users]=fullName,email&sort=-email,fullName',
  ].map((query) => path + query),
)

/** A user whom nobody changes. */
const somebody = await createUser({}, service.origin)

/** What an answer says, without what differs each time. */
function saidBy({ status, headers, text }: Answer): unknown {
  return [status, headers.etag, text.replace(/"id":"[0-9a-f-]{36}\.\d+","status"/g, '')]
}

// An owner sees that there is another revision.
it.each(matrix.filter(([who, scope]) => who !== 'the owner' || scope === ''))(
  '%s with scopes "%s" gets the same answer, links, cursors and ETag included, whatever it does not see: but for "%s"',
  async (who, scope, shows) => {
    const { origin } = service
    const own = await createUser(
      {
        attributes: { addresses: [{ city: 'Oslo' }] },
        relationships: { citizenships: toCountries('NO') },
      },
      origin,
    )
    const relationships = { relatives: toBrothers(own.id, somebody.id) }
    const other = await createUser({ relationships }, origin)
    const caller = await tokenOf(who, scope, own)
    const ids = { own: own.id, other: other.id, somebody: somebody.id }
    const answers = async () => {
      await rewrite(own.id, shows)
      const told = paths.map(async (path) => {
        const named = path.replace(/\{(\w+)\}/g, (_, name: keyof typeof ids) => ids[name])
        const answer = await get(named, caller, { origin })
        // An answer that would show the card is a failure.
        expect([path, answer.status]).not.toEqual([path, 500])
        return [path, saidBy(answer)] as const
      })
      return Object.fromEntries(await Promise.all(told))
    }
    const before = await answers()
    expect(await answers()).toEqual(before)
  },
)

/** Writes other values in place of those that are not shown, straight into the database, as a new revision. The card becomes one that cannot be opened. */
async function rewrite(id: string, shows: string): Promise<void> {
  const mark = () => crypto.randomUUID().slice(0, 20)
  const [city, zip, name] = shows.includes('attributes')
    ? ['Oslo', '0150', null]
    : [mark(), mark(), mark()]
  await service.query(
    `UPDATE users SET card = ?2, addresses = ?3, revision = ?5,
      full_name = coalesce(?4, full_name), full_name_key = coalesce(?4, full_name_key),
      email = coalesce(?4 || '@x.io', email), email_key = coalesce(?4 || '@x.io', email_key) WHERE id = ?1`,
    id,
    `v1.none.${mark()}`,
    JSON.stringify([{ city, zip, doorCode: shows.includes('doorCode') ? '1' : mark() }]),
    name,
    mark(),
  )
}
