import fc from 'fast-check'
import { attributes, linkageOf, relationshipsOf, user } from './bodies.ts'
import { countryFields, type Draft, draft, fields, paths, some, someUsers, sorts } from './draft.ts'

const users = fc.constant('/users')
const item = user.map((id) => `/users/${id}`)
const below = (path: string) => item.map((start) => start + path)

/** The first requests of a run: a user of Ann's, and one of Bob's who has her among his relatives. */
export const beginnings = (['ann', 'bob'] as const).map((person, index) => {
  const relatives = [{ type: 'users', id: '#0', meta: { relationshipType: 'SON' } }]
  const data = fc.record({
    type: fc.constant('users'),
    attributes: fc.record({
      fullName: fc.constantFrom('Ann Bee', 'ann bee'),
      email: fc.constant(`${person}~${index}@x.io`),
      creditCardNumber: fc.constantFrom('4242424242424242', null),
    }),
    relationships: fc.record({
      citizenships: fc.constantFrom({ data: [] }, { data: [{ type: 'countries', id: 'NO' }] }),
      relatives: fc.constant({ data: person === 'bob' ? relatives : [] }),
    }),
  })
  const body = fc.record({ data })
  return draft('POST', users, { body }).map(
    (begun): Draft => ({
      ...begun,
      caller: `${person} all`,
    }),
  )
})

const create = draft('POST', users, {
  query: some(fields),
  body: fc.record({
    data: fc.record(
      {
        type: fc.constant('users'),
        attributes: fc.record(attributes, { requiredKeys: ['fullName', 'email'] }),
        relationships: relationshipsOf(),
      },
      { requiredKeys: ['type', 'attributes'] },
    ),
  }),
})

const update = user.chain((id) => {
  const data = fc.record(
    {
      type: fc.constant('users'),
      id: fc.constant(id),
      attributes: fc.record(attributes, { requiredKeys: [] }),
      relationships: relationshipsOf(id),
    },
    { requiredKeys: ['type', 'id'] },
  )
  return draft('PATCH', fc.constant(`/users/${id}`), { body: fc.record({ data }) })
})

/** A write of a relationship. */
function relink(method: Draft['method'], name: string): fc.Arbitrary<Draft> {
  return user.chain((id) => {
    const body = fc.record({ data: linkageOf(id)[name] ?? fc.constant(null) })
    return draft(method, fc.constant(`/users/${id}/relationships/${name}`), { body })
  })
}

const pages = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 }))
const list = draft('GET', users, {
  query: pages.chain(([limit, page]) =>
    some(
      {
        ...fields,
        'filter[id]': someUsers,
        'page[limit]': fc.constant(String(limit)),
        'page[offset]': fc.constant(String(limit * page)),
        sort: sorts,
        include: paths(),
      },
      ['filter[id]', 'page[limit]'],
    ),
  ),
})

/** The last request of a run, which shows what went wrong before without being noticed. */
export const ending: Draft = {
  caller: 'ann all',
  method: 'GET',
  path: '/users',
  query: {
    'filter[id]': '#0,#1,#2,#3,#4,#5',
    'page[limit]': '6',
    include: 'citizenships,placeOfBirth,relatives',
  },
}

const ofRelatives = { 'filter[id]': someUsers, sort: sorts }
const pageOfRelatives = {
  ...fields,
  ...ofRelatives,
  include: paths(),
  'page[limit]': fc.constantFrom('1', '2', '3'),
}
const countries = { 'fields[countries]': countryFields, include: fc.constant('currencies') }

/** Every operation on users. */
export const drafts: readonly fc.Arbitrary<Draft>[] = [
  create,
  update,
  update,
  draft('DELETE', item),
  draft('GET', item, { query: some({ ...fields, include: paths() }) }),
  list,
  list,
  ...['citizenships', 'relatives'].flatMap((name) =>
    (['PATCH', 'POST', 'DELETE'] as const).map((method) => relink(method, name)),
  ),
  relink('PATCH', 'placeOfBirth'),
  ...['citizenships', 'placeOfBirth', 'relatives'].map((name) => {
    const query = { ...fields, include: paths(name), ...(name === 'relatives' && ofRelatives) }
    return draft('GET', below(`/relationships/${name}`), { query: some(query) })
  }),
  draft('GET', below('/citizenships'), { query: some(countries) }),
  draft('GET', below('/placeOfBirth'), { query: some(countries) }),
  draft('GET', below('/relatives'), { query: some(pageOfRelatives, ['page[limit]']) }),
]
