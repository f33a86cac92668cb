import { operationsPath } from '../../src/jsonapi/declare/transaction.ts'
import { atomicExtension, withExtension } from '../../src/jsonapi/request/media-type.ts'

/** What earlier stops have found: the user that the tour has created, and another user to be related to. */
export interface Seen {
  readonly made: string
  readonly somebody: string
}

/** The name of the stop that sends a transaction. */
export const transaction = 'operations'

/** One operation of the service as the tour shows it; `name` is that of `endpointName`, or {@link transaction}. */
export interface Stop {
  readonly name: string
  readonly as: 'machine' | 'person'
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path below the root, with its query. */
  readonly path: (seen: Seen) => string
  readonly body?: (seen: Seen) => object
  /** The media type, if it is not that of JSON:API alone. */
  readonly type?: string
  /** The status that the contract promises. */
  readonly status: number
}

const user = ({ made }: Seen): string => `/users/${made}`
const citizenships = (seen: Seen): string => `${user(seen)}/relationships/citizenships`
const placeOfBirth = (seen: Seen): string => `${user(seen)}/relationships/placeOfBirth`
const relatives = (seen: Seen): string => `${user(seen)}/relationships/relatives`

const country = (id: string) => ({ type: 'countries', id })
const relative = ({ somebody }: Seen, relationshipType?: string) => ({
  data: [{ type: 'users', id: somebody, ...(relationshipType && { meta: { relationshipType } }) }],
})

/** The stop that deletes what the tour has created. */
export const farewell = 'users.delete'

/** The operations, those that belong together one after the other, but for the one that ends the tour. */
export const stops: readonly Stop[] = [
  {
    name: 'countries.list',
    as: 'machine',
    method: 'GET',
    path: () => '/countries?filter[region]=europe&include=currencies',
    status: 200,
  },
  {
    name: 'countries.get',
    as: 'machine',
    method: 'GET',
    path: () => '/countries/PA?include=currencies',
    status: 200,
  },
  {
    name: 'countries.currencies.readMany',
    as: 'machine',
    method: 'GET',
    path: () => '/countries/PA/relationships/currencies',
    status: 200,
  },
  {
    name: 'countries.currencies.relatedMany',
    as: 'machine',
    method: 'GET',
    path: () => '/countries/PA/currencies',
    status: 200,
  },
  {
    name: 'currencies.list',
    as: 'machine',
    method: 'GET',
    path: () => '/currencies?filter[id]=NOK,SEK',
    status: 200,
  },
  {
    name: 'users.list',
    as: 'person',
    method: 'GET',
    path: () => '/users?sort=-fullName&page[limit]=2&fields[users]=fullName,addresses.city',
    status: 200,
  },
  {
    name: 'users.create',
    as: 'person',
    method: 'POST',
    path: () => '/users',
    body: () => ({
      data: {
        type: 'users',
        attributes: {
          fullName: 'Tove Reise',
          email: `tove.${crypto.randomUUID()}@example.com`,
          addresses: [{ city: 'Oslo', zip: '0150', doorCode: '4711' }],
          creditCardNumber: '4242 4242 4242 4242',
        },
        relationships: { placeOfBirth: { data: country('NO') } },
      },
    }),
    status: 201,
  },
  { name: 'users.get', as: 'person', method: 'GET', path: user, status: 200 },
  {
    name: 'users.update',
    as: 'person',
    method: 'PATCH',
    path: user,
    body: ({ made }) => ({
      data: { type: 'users', id: made, attributes: { fullName: 'Tove Reisen', addresses: [] } },
    }),
    status: 204,
  },
  {
    name: 'users.citizenships.replaceMany',
    as: 'person',
    method: 'PATCH',
    path: citizenships,
    body: () => ({ data: [country('NO'), country('SE')] }),
    status: 204,
  },
  {
    name: 'users.citizenships.addMany',
    as: 'person',
    method: 'POST',
    path: citizenships,
    body: () => ({ data: [country('FI'), country('NO')] }),
    status: 204,
  },
  {
    name: 'users.citizenships.removeMany',
    as: 'person',
    method: 'DELETE',
    path: citizenships,
    body: () => ({ data: [country('SE')] }),
    status: 204,
  },
  {
    name: 'users.citizenships.readMany',
    as: 'person',
    method: 'GET',
    path: (seen) => `${citizenships(seen)}?include=citizenships`,
    status: 200,
  },
  {
    name: 'users.citizenships.relatedMany',
    as: 'person',
    method: 'GET',
    path: (seen) => `${user(seen)}/citizenships?filter[region]=europe&include=currencies`,
    status: 200,
  },
  {
    name: 'users.placeOfBirth.replaceOne',
    as: 'person',
    method: 'PATCH',
    path: placeOfBirth,
    body: () => ({ data: country('FI') }),
    status: 204,
  },
  {
    name: 'users.placeOfBirth.readOne',
    as: 'person',
    method: 'GET',
    path: placeOfBirth,
    status: 200,
  },
  {
    name: 'users.placeOfBirth.relatedOne',
    as: 'person',
    method: 'GET',
    path: (seen) => `${user(seen)}/placeOfBirth`,
    status: 200,
  },
  {
    name: 'users.relatives.replaceMany',
    as: 'person',
    method: 'PATCH',
    path: relatives,
    body: (seen) => relative(seen, 'BROTHER'),
    status: 204,
  },
  {
    name: 'users.relatives.addMany',
    as: 'person',
    method: 'POST',
    path: relatives,
    body: (seen) => relative(seen, 'HUSBAND'),
    status: 204,
  },
  {
    name: 'users.relatives.readMany',
    as: 'person',
    method: 'GET',
    path: (seen) => `${relatives(seen)}?include=relatives.placeOfBirth&fields[users]=fullName`,
    status: 200,
  },
  {
    name: 'users.relatives.relatedMany',
    as: 'person',
    method: 'GET',
    path: (seen) => `${user(seen)}/relatives?sort=fullName&page[limit]=5&fields[users]=fullName`,
    status: 200,
  },
  {
    name: 'users.relatives.removeMany',
    as: 'person',
    method: 'DELETE',
    path: relatives,
    body: (seen) => relative(seen),
    status: 204,
  },
  {
    name: transaction,
    as: 'person',
    method: 'POST',
    path: () => operationsPath,
    type: withExtension(atomicExtension),
    body: ({ made }) => ({
      'atomic:operations': [
        {
          op: 'update',
          data: { type: 'users', id: made, attributes: { fullName: 'Tove Hjem' } },
        },
        {
          op: 'remove',
          ref: { type: 'users', id: made, relationship: 'citizenships' },
          data: [country('FI')],
        },
      ],
    }),
    status: 200,
  },
  { name: farewell, as: 'person', method: 'DELETE', path: user, status: 204 },
]
