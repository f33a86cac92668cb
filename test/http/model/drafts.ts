import fc from 'fast-check'
import type { ModelRequest } from './model.ts'

/**
 * A request before anybody sent it. `#0`, `#1` and so on stand for the ids of users in the order of their creation, and `~` for what
 * makes an e-mail address one of the run. The caller is a person and the name of some scopes: `ann all`; or `client`. `owner` is
 * whoever owns the user of the path.
 */
export type Draft = Omit<ModelRequest, 'caller'> & { readonly caller: string }

const people = fc.constantFrom('owner', 'ann', 'bob', 'eve')
const scopes = fc.constantFrom('all', 'plain', 'blind', 'reader')
const caller = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom('owner all', 'owner plain') },
  { weight: 5, arbitrary: fc.tuple(people, scopes).map((names) => names.join(' ')) },
  { weight: 1, arbitrary: fc.constant('client') },
)

/** A draft by somebody. */
function draft(
  method: Draft['method'],
  path: fc.Arbitrary<string>,
  body: fc.Arbitrary<unknown> = fc.constant(undefined),
): fc.Arbitrary<Draft> {
  return fc.record({ caller, method: fc.constant(method), path, body })
}

/** A user: mostly one of the two that every run begins with. */
const user = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('#0', '#1') },
  { weight: 1, arbitrary: fc.constantFrom('#2', '#3', '#4') },
)

/** The attributes of a user by name. */
const attributes = {
  fullName: fc.constantFrom('Ann Bee', 'Émile', 'Åse Ö'),
  email: fc.constantFrom('ann~0@x.io', 'BOB~1@X.IO', 'c~2@x.io', 'C~2@X.IO', 'd~3@x.io'),
  addresses: fc.subarray([{ city: 'Oslo' }, { city: 'Bergen', doorCode: '1' }, { doorCode: '2' }]),
  creditCardNumber: fc.constantFrom('4242 4242 4242 4242', '12345678', null),
}

/** Mostly a country that exists. */
const country = fc
  .oneof(
    { weight: 40, arbitrary: fc.constantFrom('NO', 'SE', 'PA', 'CH') },
    { weight: 1, arbitrary: fc.constant('XX') },
  )
  .map((id) => ({ type: 'countries', id }))

/** The linkage of each relationship of a user, who is not among its own relatives. */
function linkageOf(id?: string): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const others = ['#0', '#0', '#0', '#1', '#1', '#1', '#2'].filter((other) => other !== id)
  const relative = fc.record({
    type: fc.constant('users'),
    id: fc.constantFrom(...others),
    meta: fc.record({ relationshipType: fc.constantFrom('SON', 'WIFE', 'BROTHER') }),
  })
  return {
    citizenships: fc.array(country, { maxLength: 3 }),
    placeOfBirth: fc.option(country),
    relatives: fc.uniqueArray(relative, { maxLength: 2, selector: (it) => it.id }),
  }
}

/** The body of a create or an update, with some relationships. */
function resource(requiredKeys: ('fullName' | 'email')[], id?: string): fc.Arbitrary<unknown> {
  const links = Object.entries(linkageOf(id)).map(([name, data]) => [name, fc.record({ data })])
  const data = fc.record({
    type: fc.constant('users'),
    ...(id && { id: fc.constant(id) }),
    attributes: fc.record(attributes, { requiredKeys }),
    relationships: fc.record(Object.fromEntries(links), { requiredKeys: [] }),
  })
  return fc.record({ data })
}

/** A write of a relationship. */
function relink(method: Draft['method'], name: string): fc.Arbitrary<Draft> {
  return user.chain((id) => {
    const body = fc.record({ data: linkageOf(id)[name] ?? fc.constant(null) })
    return draft(method, fc.constant(`/users/${id}/relationships/${name}`), body)
  })
}

const listed = fc
  .subarray(['#0', '#1', '#2', '#3', '#4'])
  .map((ids) => `/users?filter[id]=${ids.join()}`)
const item = user.map((id) => `/users/${id}`)
const update = user.chain((id) => draft('PATCH', fc.constant(`/users/${id}`), resource([], id)))

/** Reads and every write of users. */
export const drafts: readonly fc.Arbitrary<Draft>[] = [
  draft('POST', fc.constant('/users'), resource(['fullName', 'email'])),
  update,
  update,
  draft('DELETE', item),
  ...(['PATCH', 'POST', 'DELETE'] as const).flatMap((method) =>
    ['citizenships', 'relatives'].map((name) => relink(method, name)),
  ),
  relink('PATCH', 'placeOfBirth'),
  ...Array.from({ length: 4 }, () => draft('GET', item)),
  ...Array.from({ length: 4 }, () => draft('GET', listed)),
]

/** The first requests of a run: a user of Ann's, and one of Bob's who has her among his relatives. */
export const beginnings = ['ann', 'bob'].map((person, index): Draft => {
  const son = { type: 'users', id: '#0', meta: { relationshipType: 'SON' } }
  const data = {
    type: 'users',
    attributes: {
      fullName: 'Ann Bee',
      email: `${person}~${index}@x.io`,
      creditCardNumber: '4242424242424242',
    },
    relationships: { relatives: { data: index === 0 ? [] : [son] } },
  }
  return { caller: `${person} all`, method: 'POST', path: '/users', body: { data } }
})

/** The last request of a run, which shows what went wrong before without being noticed. */
export const ending: Draft = {
  caller: 'ann all',
  method: 'GET',
  path: '/users?filter[id]=#0,#1,#2,#3,#4',
}
