import fc from 'fast-check'
import { expect, it } from 'vitest'
import { allScopes, createUser, toBrothers, toCountries } from '../../support/people.ts'
import {
  type Answer,
  configuredService,
  get,
  person,
  tokenFor,
  uniqueSubject,
} from '../../support/service.ts'

/** A caller has the same bucket in all of these tests. */
const service = await configuredService()
/** A user whom nobody changes. */
const somebody = await createUser({}, service.origin)

/** What is withheld of a user: all attributes, the door code and the card, or the card. */
type Hidden = 'all' | 'doorCode' | 'card'

const client = (sub: string) => tokenFor({ sub, client: sub, scope: allScopes })
const blind = allScopes.replace('users.read ', '')

/** Callers with what is withheld from them, by the owner of the user. */
const callers: readonly [name: string, Hidden, token: (owner: string) => Promise<string>][] = [
  ['a client with every scope', 'all', () => client(uniqueSubject())],
  ['a client named like the owner', 'all', client],
  ['the owner without a scope', 'all', (owner) => person(owner, '')],
  ['a person without a scope', 'all', () => person(uniqueSubject(), '')],
  ['a person with all scopes but users.read', 'all', () => person(uniqueSubject(), blind)],
  ['a person with users.read', 'doorCode', () => person(uniqueSubject(), 'users.read')],
  ['a person with every scope', 'card', () => person(uniqueSubject(), allScopes)],
]

/** Requests that could show the user `{own}`: by id, by filter, by include, by linkage; valid ones and others. */
const requests = fc
  .record({
    path: fc.constantFrom(
      '/users/{own}?',
      '/users/{other}?filter={own}&',
      '/users/{other}?',
      '/users/{other}/relatives?',
      '/users?filter[id]={own},{other}&',
      '/users?page[limit]=1&filter[id]={own},{other},{somebody}&',
      '/users/{other}/relationships/relatives?',
      '/users/{own}/relationships/citizenships?',
      '/users/{own}/relationships/placeOfBirth?',
    ),
    include: fc.option(
      fc.subarray(['relatives', 'citizenships', 'placeOfBirth', 'relatives.relatives']),
    ),
    fields: fc.option(
      fc.subarray(['fullName', 'email', 'addresses', 'addresses.doorCode', 'creditCardNumber']),
    ),
    sort: fc.option(fc.subarray(['fullName', '-email'], { minLength: 1 }), { freq: 1 }),
  })
  .map(({ path, include, fields, sort }) => {
    const query = [
      include && `include=${include.join()}`,
      fields && `fields[users]=${fields.join()}`,
      sort && `sort=${sort.join()}`,
    ]
    return path + query.filter(Boolean).join('&')
  })

/** The same requests in each run, and others. */
const paths = new Set([
  ...fc.sample(requests, { numRuns: 80, seed: 1 }),
  ...fc.sample(requests, { numRuns: 20 }),
])

/** What an answer says, without what differs each time. */
function saidBy({ status, headers, text }: Answer): unknown {
  return [status, headers.etag, text.replace(/"id":"[0-9a-f-]{36}\.\d+","status"/g, '')]
}

it.each(callers)(
  '%s gets the same answer, links, cursors and ETag included, whatever the withheld values are (%s)',
  async (_, hidden, token) => {
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
    const caller = await token(own.owner)
    const ids = { own: own.id, other: other.id, somebody: somebody.id }
    const answers = async () => {
      await rewrite(own.id, hidden)
      const told = [...paths].map(async (path) => {
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

/** Writes other values in place of those that are hidden, straight into the database, as a new revision. The card becomes one that cannot be opened. */
async function rewrite(id: string, hidden: Hidden): Promise<void> {
  const mark = () => crypto.randomUUID().slice(0, 20)
  const [city, zip, name] = hidden === 'all' ? [mark(), mark(), mark()] : ['Oslo', '0150', null]
  await service.query(
    `UPDATE users SET card = ?2, addresses = ?3, revision = ?5,
      full_name = coalesce(?4, full_name), full_name_key = coalesce(?4, full_name_key),
      email = coalesce(?4 || '@x.io', email), email_key = coalesce(?4 || '@x.io', email_key) WHERE id = ?1`,
    id,
    `v1.none.${mark()}`,
    JSON.stringify([{ city, zip, doorCode: hidden === 'card' ? '1' : mark() }]),
    name,
    mark(),
  )
}
