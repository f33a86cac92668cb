/** The person that a cell is about, which no other cell uses. */
export interface Person {
  /** The subject that owns the user. */
  readonly sub: string
  /** The user's id. */
  readonly id: string
}

/** What is stored of a person's users, in words: one line each. */
export type Stored = readonly string[]

/** One operation of the service, how to ask for it and what it leaves behind. */
export interface Operation {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path below the root. */
  readonly path: (person: Person) => string
  readonly body?: (person: Person) => unknown
  /** The `Idempotency-Key`: sent again, the operation is done once, whatever became of the first time. */
  readonly key?: (person: Person) => string
  /** Headers beside the usual ones, or in place of them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly success: 200 | 201 | 204
  /** How many statements its batch has; a single statement that is no batch counts as none. */
  readonly statements: number
  /** Does it need the countries and currencies that the isolate keeps: them alone, or also a call of its own? */
  readonly kept?: true | 'also'
  /** What is stored when it has succeeded; `before` if absent. */
  readonly after?: Stored
}

/** Two users that are there in every run, for people to be related to. */
export const relatives = ['fault-relative-1', 'fault-relative-2'] as const

/** What is stored of every person before a cell. */
export const before: Stored = ['Before; born in NO; of NO, SE; fault-relative-1 is WIFE; card']

const country = (id: string) => ({ type: 'countries', id })
const relative = (index: 0 | 1, relationshipType: string) => ({
  type: 'users',
  id: relatives[index],
  meta: { relationshipType },
})
const item = ({ id }: Person) => `/users/${id}`
const linkage = (name: string) => (person: Person) => `${item(person)}/relationships/${name}`
const related = (name: string) => (person: Person) => `${item(person)}/${name}`
const data = (value: unknown) => () => ({ data: value })

/** The tag of a user as it is before a cell: of the revision that rows have which nobody has written. */
const firstTag = '"0."'

const atomicType = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

/** The name of the operation that is made of several writes. */
export const transaction = 'operations'

const attributes = (sub: string) => ({
  fullName: 'Created',
  email: `created-${sub}@example.com`,
  creditCardNumber: '4111 1111 1111 1111',
})

const create: Operation = {
  name: 'users.create',
  method: 'POST',
  path: () => '/users',
  body: ({ sub }) => ({
    data: {
      type: 'users',
      attributes: attributes(sub),
      relationships: {
        citizenships: { data: [country('FI')] },
        relatives: { data: [relative(1, 'BROTHER')] },
      },
    },
  }),
  success: 201,
  statements: 5,
  after: [...before, 'Created; of FI; fault-relative-2 is BROTHER; card'],
}

const transacting: Operation = {
  name: transaction,
  method: 'POST',
  path: () => '/operations',
  headers: { Accept: atomicType, 'Content-Type': atomicType },
  body: ({ sub, id }) => ({
    'atomic:operations': [
      { op: 'add', data: { type: 'users', lid: 'new', attributes: attributes(sub) } },
      { op: 'update', data: { type: 'users', id, attributes: { fullName: 'After' } } },
      {
        op: 'add',
        ref: { type: 'users', lid: 'new', relationship: 'relatives' },
        data: [relative(1, 'BROTHER')],
      },
      {
        op: 'remove',
        ref: { type: 'users', id, relationship: 'citizenships' },
        data: [country('NO')],
      },
    ],
  }),
  success: 200,
  // The probes of all operations, then each operation behind its probe; what is added is read back.
  statements: 15,
  after: [
    'After; born in NO; of SE; fault-relative-1 is WIFE; card',
    'Created; fault-relative-2 is BROTHER; card',
  ],
}

/** All operations (contract, section 1); a create and a transaction with and without a key (contract, section 12). */
export const operations: readonly Operation[] = [
  reading('countries.list', () => '/countries', { kept: true }),
  reading('countries.get', () => '/countries/NO', { kept: true }),
  reading('countries.currencies.read', () => '/countries/NO/relationships/currencies', {
    kept: true,
  }),
  reading('countries.currencies.related', () => '/countries/NO/currencies', { kept: true }),
  reading('currencies.list', () => '/currencies', { kept: true }),
  reading('users.list', () => '/users?page[limit]=2'),
  create,
  {
    ...create,
    name: 'users.create with a key',
    key: ({ sub }) => sub,
    statements: create.statements + 1,
  },
  reading('users.get', item),
  {
    ...writing('users.update', 'PATCH', item, 3),
    body: ({ id }) => ({
      data: {
        type: 'users',
        id,
        attributes: { fullName: 'After', email: `after-${id}@example.com` },
        relationships: {
          citizenships: { data: [country('FI')] },
          placeOfBirth: { data: country('SE') },
        },
      },
    }),
    after: ['After; born in SE; of FI; fault-relative-1 is WIFE; card'],
  },
  {
    ...writing('users.update, conditional', 'PATCH', item, 0),
    headers: { 'If-Match': firstTag },
    body: ({ id }) => ({ data: { type: 'users', id, attributes: { fullName: 'After' } } }),
    after: ['After; born in NO; of NO, SE; fault-relative-1 is WIFE; card'],
  },
  { ...writing('users.delete', 'DELETE', item, 2), after: [] },
  {
    ...writing('users.delete, conditional', 'DELETE', item, 2),
    headers: { 'If-Match': firstTag },
    after: [],
  },
  reading('users.citizenships.read', linkage('citizenships')),
  reading('users.citizenships.related', related('citizenships'), { kept: 'also' }),
  {
    ...writing('users.citizenships.replace', 'PATCH', linkage('citizenships'), 3),
    body: data([country('SE'), country('FI')]),
    after: ['Before; born in NO; of FI, SE; fault-relative-1 is WIFE; card'],
  },
  {
    ...writing('users.citizenships.add', 'POST', linkage('citizenships'), 2),
    body: data([country('FI'), country('NO')]),
    after: ['Before; born in NO; of FI, NO, SE; fault-relative-1 is WIFE; card'],
  },
  {
    ...writing('users.citizenships.remove', 'DELETE', linkage('citizenships'), 2),
    body: data([country('NO')]),
    after: ['Before; born in NO; of SE; fault-relative-1 is WIFE; card'],
  },
  reading('users.placeOfBirth.read', linkage('placeOfBirth')),
  reading('users.placeOfBirth.related', related('placeOfBirth'), { kept: 'also' }),
  {
    ...writing('users.placeOfBirth.replace', 'PATCH', linkage('placeOfBirth'), 0),
    body: data(country('SE')),
    after: ['Before; born in SE; of NO, SE; fault-relative-1 is WIFE; card'],
  },
  reading('users.relatives.read', linkage('relatives')),
  reading('users.relatives.related', related('relatives')),
  {
    ...writing('users.relatives.replace', 'PATCH', linkage('relatives'), 3),
    body: data([relative(1, 'SON')]),
    after: ['Before; born in NO; of NO, SE; fault-relative-2 is SON; card'],
  },
  {
    ...writing('users.relatives.add', 'POST', linkage('relatives'), 2),
    body: data([relative(1, 'SON')]),
    after: [
      'Before; born in NO; of NO, SE; fault-relative-1 is WIFE, fault-relative-2 is SON; card',
    ],
  },
  {
    ...writing('users.relatives.remove', 'DELETE', linkage('relatives'), 2),
    body: data([{ type: 'users', id: relatives[0] }]),
    after: ['Before; born in NO; of NO, SE; card'],
  },
  transacting,
  {
    ...transacting,
    name: `${transaction} with a key`,
    key: ({ sub }) => sub,
    statements: transacting.statements + 1,
  },
]

function reading(
  name: string,
  path: Operation['path'],
  more: Pick<Operation, 'kept'> = {},
): Operation {
  return { name, method: 'GET', path, success: 200, statements: 0, ...more }
}

function writing(
  name: string,
  method: Operation['method'],
  path: Operation['path'],
  statements: number,
): Operation {
  return { name, method, path, success: 204, statements }
}
