import fc from 'fast-check'
import { attributes, country, linkageOf, mostly, relationshipsOf, user } from './bodies.ts'
import {
  at,
  countryFields,
  type Draft,
  draft,
  fields,
  item,
  paths,
  some,
  someUsers,
  sorts,
} from './draft.ts'

/** The first requests of a run: a user of Ann's, and one of Bob's who has her among his relatives. */
export const beginnings = (['ann', 'bob'] as const).map((person, index) =>
  draft({
    method: 'POST',
    path: fc.constant('/users'),
    key: fc.constant(`${person}~`),
    body: fc.record({
      data: fc.record({
        type: fc.constant('users'),
        attributes: fc.record({
          fullName: fc.constantFrom('Ann Bee', 'ann bee'),
          email: fc.constant(`${person}~${index}@x.io`),
          creditCardNumber: fc.constantFrom('4242424242424242', null),
        }),
        relationships: fc.record({
          citizenships: fc.constantFrom({ data: [] }, { data: [{ type: 'countries', id: 'NO' }] }),
          relatives: fc.constant({
            data:
              person === 'bob'
                ? [{ type: 'users', id: '#0', meta: { relationshipType: 'SON' } }]
                : [],
          }),
        }),
      }),
    }),
  }).map((begun): Draft => ({ ...begun, caller: `${person} all` })),
)

const create = draft({
  method: 'POST',
  path: fc.constant('/users'),
  key: fc.constantFrom('1~', '2~', '3~'),
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

const update = user.chain((id) =>
  draft({
    method: 'PATCH',
    path: fc.constant(`/users/${id}`),
    body: fc.record({
      data: fc.record(
        {
          type: fc.constant('users'),
          id: mostly([id], '#4'),
          attributes: fc.record(attributes, { requiredKeys: [] }),
          relationships: relationshipsOf(id),
        },
        { requiredKeys: ['type', 'id'] },
      ),
    }),
  }),
)

/** A write of a relationship. */
function relink(method: Draft['method'], name: string): fc.Arbitrary<Draft> {
  return user.chain((id) =>
    draft({
      method,
      path: fc.constant(`/users/${id}/relationships/${name}`),
      body: fc.record({ data: linkageOf(id)[name] ?? fc.constant(null) }),
    }),
  )
}

/** Filters and sorts of the members of relationships. */
const comparisons: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<string>>>>> = {
  citizenships: {
    'filter[id]': fc.subarray(['PA', 'NO', 'XX', 'CH']).map((ids) => ids.join(',')),
    'filter[region]': fc.constantFrom('europe', 'Americas,ASIA', 'Antarctic', ''),
  },
  relatives: { 'filter[id]': someUsers, sort: sorts },
}

const list = draft({
  method: 'GET',
  path: fc.constant('/users'),
  query: fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 }))
    .chain(([limit, page]) =>
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

/** The last create once more, with its key. */
export const again: Draft = { ...ending, method: 'POST', path: '/users', query: {}, key: 'again' }

/** Every operation of the interface. */
export const drafts: readonly fc.Arbitrary<Draft>[] = [
  create,
  fc.constant(again),
  update,
  update,
  draft({ method: 'DELETE', path: item }),
  draft({ method: 'GET', path: item, query: some({ ...fields, include: paths() }) }),
  list,
  list,
  ...['citizenships', 'relatives'].flatMap((name) =>
    (['PATCH', 'POST', 'DELETE'] as const).map((method) => relink(method, name)),
  ),
  relink('PATCH', 'placeOfBirth'),
  ...['citizenships', 'placeOfBirth', 'relatives'].map((name) =>
    draft({
      method: 'GET',
      path: at(name),
      query: some({ ...fields, include: paths(name), ...comparisons[name] }),
    }),
  ),
  ...['citizenships', 'placeOfBirth'].map((name) =>
    draft({
      method: 'GET',
      path: item.map((path) => `${path}/${name}`),
      query: some({
        'fields[countries]': countryFields,
        include: fc.constant('currencies'),
        ...comparisons[name],
      }),
    }),
  ),
  ...[0, 1].map(() =>
    draft({
      method: 'GET',
      path: item.map((path) => `${path}/relatives`),
      query: some(
        {
          ...fields,
          ...comparisons.relatives,
          include: paths(),
          'page[limit]': fc.constantFrom('1', '2', '3'),
        },
        ['page[limit]'],
      ),
    }),
  ),
  draft({
    method: 'GET',
    path: fc.constant('/countries'),
    query: some(
      {
        'filter[id]': fc.subarray(['PA', 'NO', 'XX', 'CH']).map((ids) => ids.join(',')),
        'fields[countries]': countryFields,
        include: fc.constant('currencies'),
      },
      ['filter[id]'],
    ),
  }),
  draft({
    method: 'GET',
    path: country.map((id) => `/countries/${id}`),
    query: some({ 'fields[countries]': countryFields, include: fc.constant('currencies') }),
  }),
  ...['/relationships/currencies', '/currencies'].map((end) =>
    draft({
      method: 'GET',
      path: country.map((id) => `/countries/${id}${end}`),
      query: some({ 'filter[id]': fc.constantFrom('NOK', 'USD,PAB', 'XXX', '') }),
    }),
  ),
  draft({
    method: 'GET',
    path: fc.constant('/currencies'),
    query: some(
      {
        'filter[id]': fc.constantFrom('NOK', 'USD,PAB', 'XXX', ''),
        'fields[currencies]': fc.constantFrom('', 'symbol'),
      },
      ['filter[id]'],
    ),
  }),
]
