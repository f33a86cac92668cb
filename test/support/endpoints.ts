/** A read of the service, with what its document holds (contract, section 1). */
export interface ReadEndpoint {
  readonly name: string
  /** Below the root path, of a resource that exists. */
  readonly path: string
  readonly holds: 'resources' | 'resource' | 'identifiers' | 'identifier'
  /** The type of the primary data. */
  readonly type: string
  /** Query parameters that it takes, each with a good value. */
  readonly takes: Readonly<Record<string, string>>
}

const ofCountries = { 'fields[countries]': 'name', 'fields[currencies]': 'symbol' }
const ofUsers = { 'fields[users]': 'fullName', ...ofCountries }

/** Every read of the service: operations 1 to 5, 7, 10, 14, 16 and 20 to 23 (contract, section 1). */
export const reads: readonly ReadEndpoint[] = [
  {
    name: 'GET /countries',
    path: '/countries',
    holds: 'resources',
    type: 'countries',
    takes: {
      include: 'currencies',
      ...ofCountries,
      'filter[id]': 'NO',
      'filter[region]': 'Europe',
    },
  },
  {
    name: 'GET /countries/{id}',
    path: '/countries/NO',
    holds: 'resource',
    type: 'countries',
    takes: { include: 'currencies', ...ofCountries },
  },
  {
    name: 'GET /countries/{id}/relationships/currencies',
    path: '/countries/NO/relationships/currencies',
    holds: 'identifiers',
    type: 'currencies',
    takes: { include: 'currencies', ...ofCountries, 'filter[id]': 'NOK' },
  },
  {
    name: 'GET /currencies',
    path: '/currencies',
    holds: 'resources',
    type: 'currencies',
    takes: { 'fields[currencies]': 'symbol', 'filter[id]': 'NOK' },
  },
  {
    name: 'GET /users',
    path: '/users',
    holds: 'resources',
    type: 'users',
    takes: {
      include: 'citizenships,placeOfBirth,relatives',
      ...ofUsers,
      'page[limit]': '10',
      'page[offset]': '0',
      sort: 'fullName,-email',
      'filter[id]': '1,2',
    },
  },
  {
    name: 'GET /users/{id}',
    path: '/users/1',
    holds: 'resource',
    type: 'users',
    takes: { include: 'citizenships,placeOfBirth,relatives', ...ofUsers },
  },
  {
    name: 'GET /users/{id}/relationships/citizenships',
    path: '/users/1/relationships/citizenships',
    holds: 'identifiers',
    type: 'countries',
    takes: {
      include: 'citizenships',
      ...ofUsers,
      'filter[id]': 'NO',
      'filter[region]': 'Europe',
    },
  },
  {
    name: 'GET /users/{id}/relationships/placeOfBirth',
    path: '/users/1/relationships/placeOfBirth',
    holds: 'identifier',
    type: 'countries',
    takes: { include: 'placeOfBirth', ...ofUsers },
  },
  {
    name: 'GET /users/{id}/relationships/relatives',
    path: '/users/1/relationships/relatives',
    holds: 'identifiers',
    type: 'users',
    takes: { include: 'relatives', ...ofUsers, sort: 'fullName,-email', 'filter[id]': '2,3' },
  },
  {
    name: 'GET /countries/{id}/currencies',
    path: '/countries/NO/currencies',
    holds: 'resources',
    type: 'currencies',
    takes: { 'fields[currencies]': 'symbol', 'filter[id]': 'NOK' },
  },
  {
    name: 'GET /users/{id}/citizenships',
    path: '/users/1/citizenships',
    holds: 'resources',
    type: 'countries',
    takes: {
      include: 'currencies',
      ...ofCountries,
      'filter[id]': 'NO',
      'filter[region]': 'Europe',
    },
  },
  {
    name: 'GET /users/{id}/placeOfBirth',
    path: '/users/1/placeOfBirth',
    holds: 'resource',
    type: 'countries',
    takes: { include: 'currencies', ...ofCountries },
  },
  {
    name: 'GET /users/{id}/relatives',
    path: '/users/1/relatives',
    holds: 'resources',
    type: 'users',
    takes: {
      include: 'citizenships,placeOfBirth,relatives',
      ...ofUsers,
      'page[limit]': '10',
      sort: 'fullName,-email',
      'filter[id]': '2,3',
    },
  },
]

/** Reads of which only a page is answered: collections and to-many relationships. */
export const pages = reads.filter(({ holds }) => holds === 'resources' || holds === 'identifiers')

/** A write of the service (contract, section 1). */
export interface WriteEndpoint {
  readonly method: string
  readonly path: string
}

/** Every write of the service: operations 6, 8, 9, 11 to 13, 15 and 17 to 19 (contract, section 1). */
export const writes: readonly WriteEndpoint[] = [
  { method: 'POST', path: '/users' },
  { method: 'PATCH', path: '/users/1' },
  { method: 'DELETE', path: '/users/1' },
  { method: 'PATCH', path: '/users/1/relationships/citizenships' },
  { method: 'POST', path: '/users/1/relationships/citizenships' },
  { method: 'DELETE', path: '/users/1/relationships/citizenships' },
  { method: 'PATCH', path: '/users/1/relationships/placeOfBirth' },
  { method: 'PATCH', path: '/users/1/relationships/relatives' },
  { method: 'POST', path: '/users/1/relationships/relatives' },
  { method: 'DELETE', path: '/users/1/relationships/relatives' },
]

/** The same reads, with answers that stay as they are while other tests make users. */
export const steadyReads: readonly Pick<ReadEndpoint, 'name' | 'path'>[] = reads.map(
  ({ name, path }) => ({ name, path: path === '/users' ? '/users?filter[id]=1,2' : path }),
)
