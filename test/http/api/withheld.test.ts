import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import {
  allScopes,
  createUser,
  type OwnUser,
  toBrothers,
  toCountries,
} from '../../support/people.ts'
import {
  type Answer,
  type BackDoor,
  configuredService,
  get,
  person,
  tokenFor,
  uniqueSubject,
} from '../../support/service.ts'

/** A caller has the same bucket in all of these tests. */
let service: BackDoor
/** A user whom nobody changes. */
let somebody: OwnUser
beforeAll(async () => {
  service = await configuredService()
  somebody = await createUser({}, service.origin)
})

const everyValue = ['fullName', 'email', 'city', 'zip', 'doorCode', 'card'] as const

/** Values of a user that nothing else in the world holds. */
type Secrets = Readonly<Record<(typeof everyValue)[number], string>>

function newSecrets(): Secrets {
  const mark = () => crypto.randomUUID().replaceAll('-', '')
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte % 10)
  return {
    fullName: `Name ${mark()}`,
    email: `${mark()}@example.com`,
    city: `City ${mark()}`,
    zip: mark(),
    doorCode: mark().slice(0, 20),
    card: digits.join(''),
  }
}

/** A caller, by the owner of a user, and the values of that user that are withheld from it. */
const callers: readonly {
  readonly name: string
  readonly hidden: readonly (keyof Secrets)[]
  readonly token: (owner: string) => Promise<string>
}[] = [
  ...[uniqueSubject, (owner: string) => owner].map((named, nth) => ({
    name: nth === 0 ? 'a client with every scope' : 'a client named like the owner',
    hidden: everyValue,
    token: (owner: string) => {
      const sub = named(owner)
      return tokenFor({ sub, client: sub, scope: allScopes })
    },
  })),
  { name: 'the owner without a scope', hidden: everyValue, token: (owner) => person(owner, '') },
  ...(
    [
      ['without a scope', everyValue, ''],
      ['with all scopes but users.read', everyValue, allScopes.replace('users.read ', '')],
      ['with users.read', ['doorCode', 'card'], 'users.read'],
      ['with every scope who is not the owner', ['card'], allScopes],
    ] as const
  ).map(([which, hidden, scope]) => ({
    ...{ name: `a person ${which}`, hidden },
    token: () => person(uniqueSubject(), scope),
  })),
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
  '$name gets the same answer, links, cursors and ETag included, whatever the withheld values are',
  async ({ hidden, token }) => {
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

/** Writes other values in place of some, straight into the database, as a new revision. The card becomes one that cannot be opened. */
async function rewrite(id: string, names: readonly (keyof Secrets)[]): Promise<void> {
  const to = newSecrets()
  const shown = { city: 'Oslo', zip: '0150', doorCode: '1' }
  const address = Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [
      name,
      names.includes(name as keyof Secrets) ? to[name as keyof Secrets] : value,
    ]),
  )
  const named = names.includes('email')
  await service.query(
    `UPDATE users SET card = ?2, addresses = ?3, revision = ?6,
      full_name = coalesce(?4, full_name), full_name_key = coalesce(lower(?4), full_name_key),
      email = coalesce(?5, email), email_key = coalesce(?5, email_key) WHERE id = ?1`,
    id,
    `v1.none.${to.card}`,
    JSON.stringify([address]),
    named ? to.fullName : null,
    named ? to.email : null,
    crypto.randomUUID().slice(0, 24),
  )
}
