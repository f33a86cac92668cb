import { atomicExtension, operationsPath } from '../../src/jsonapi/atomic/extension.ts'
import { withExtension } from '../../src/jsonapi/json.ts'

/** What one round of the tour knows. A stop has places for it, such as `{made}`. */
export interface Seen {
  /** The `Idempotency-Key` of the create; its e-mail address is made of it, too. */
  readonly key: string
  /** The id of the user that the tour has created; empty before. */
  readonly made: string
  /** The entity tag of that user before the tour changes it. */
  readonly tag: string
  /** The id of another user, to be related to. */
  readonly somebody: string
}

/** What a round knows before its first stop. */
export function newRound(): Seen {
  return { key: crypto.randomUUID(), made: '', tag: '', somebody: '' }
}

/** One request of the tour. */
export interface Stop {
  /** The operation: a name of `endpointName`, or {@link transaction}. */
  readonly name: string
  readonly as: 'machine' | 'person'
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path below the root, with its query. */
  readonly path: string
  /** Headers that only this request needs. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  /** The status that the contract promises. */
  readonly status: number
}

const user = '/users/{made}'
const citizenships = `${user}/relationships/citizenships`
const placeOfBirth = `${user}/relationships/placeOfBirth`
const relatives = `${user}/relationships/relatives`

const country = (id: string) => ({ type: 'countries', id })
const somebody = { type: 'users', id: '{somebody}' }

/** The media type of transactions. */
const atomic = withExtension(atomicExtension)

/** The name of the stop that sends several writes in one transaction. */
export const transaction = 'operations'

/** The stop that deletes what the tour has created. */
export const farewell = 'users.delete'

/** A read. */
const read = (name: string, as: Stop['as'], path: string): Stop => ({
  name,
  as,
  method: 'GET',
  path,
  status: 200,
})

/** A change of a relationship of the user. */
const write = (name: string, method: Stop['method'], path: string, data: object): Stop => ({
  name,
  as: 'person',
  method,
  path,
  body: { data },
  status: 204,
})

/** A create that a client may send again: the second answer shows the user that the first one made. */
const create: Stop = {
  name: 'users.create',
  as: 'person',
  method: 'POST',
  path: '/users',
  headers: { 'Idempotency-Key': '{key}' },
  body: {
    data: {
      type: 'users',
      attributes: {
        fullName: 'Tove Reise',
        email: 'tove.{key}@example.com',
        addresses: [{ city: 'Oslo', zip: '0150', doorCode: '4711' }],
        creditCardNumber: '4242 4242 4242 4242',
      },
      relationships: { placeOfBirth: { data: country('NO') } },
    },
  },
  status: 201,
}

/** An update that is done only while the user is still as it was read. */
const update: Stop = {
  name: 'users.update',
  as: 'person',
  method: 'PATCH',
  path: user,
  headers: { 'If-Match': '{tag}' },
  body: {
    data: { type: 'users', id: '{made}', attributes: { fullName: 'Tove Reisen', addresses: [] } },
  },
  status: 204,
}

/** Several writes of the user in one transaction. */
const transact: Stop = {
  name: transaction,
  as: 'person',
  method: 'POST',
  path: operationsPath,
  headers: { Accept: atomic, 'Content-Type': atomic },
  body: {
    'atomic:operations': [
      {
        op: 'update',
        data: { type: 'users', id: '{made}', attributes: { fullName: 'Tove Hjem' } },
      },
      {
        op: 'add',
        ref: { type: 'users', id: '{made}', relationship: 'citizenships' },
        data: [country('IS')],
      },
      {
        op: 'add',
        ref: { type: 'users', id: '{made}', relationship: 'relatives' },
        data: [{ ...somebody, meta: { relationshipType: 'BROTHER' } }],
      },
    ],
  },
  status: 200,
}

/**
 * Every operation, those that belong together one after the other. The create stands there twice: the second is its replay.
 * So does the update: the first has made a new revision, so that the second is refused.
 */
export const stops: readonly Stop[] = [
  read('countries.list', 'machine', '/countries?filter[region]=europe&include=currencies'),
  read('countries.get', 'machine', '/countries/PA?include=currencies'),
  read('countries.currencies.readMany', 'machine', '/countries/PA/relationships/currencies'),
  read('countries.currencies.relatedMany', 'machine', '/countries/PA/currencies'),
  read('currencies.list', 'machine', '/currencies?filter[id]=NOK,SEK'),
  read(
    'users.list',
    'person',
    '/users?sort=fullName&page[limit]=2&fields[users]=fullName,addresses.city',
  ),
  create,
  create,
  read('users.get', 'person', user),
  update,
  { ...update, status: 412 },
  write('users.citizenships.replaceMany', 'PATCH', citizenships, [country('NO'), country('SE')]),
  write('users.citizenships.addMany', 'POST', citizenships, [country('FI'), country('NO')]),
  write('users.citizenships.removeMany', 'DELETE', citizenships, [country('SE')]),
  read('users.citizenships.readMany', 'person', `${citizenships}?include=citizenships`),
  read(
    'users.citizenships.relatedMany',
    'person',
    `${user}/citizenships?filter[region]=europe&include=currencies`,
  ),
  write('users.placeOfBirth.replaceOne', 'PATCH', placeOfBirth, country('FI')),
  read('users.placeOfBirth.readOne', 'person', placeOfBirth),
  read('users.placeOfBirth.relatedOne', 'person', `${user}/placeOfBirth`),
  write('users.relatives.replaceMany', 'PATCH', relatives, [
    { ...somebody, meta: { relationshipType: 'BROTHER' } },
  ]),
  write('users.relatives.addMany', 'POST', relatives, [
    { ...somebody, meta: { relationshipType: 'HUSBAND' } },
  ]),
  read(
    'users.relatives.readMany',
    'person',
    `${relatives}?include=relatives.placeOfBirth&fields[users]=fullName`,
  ),
  read(
    'users.relatives.relatedMany',
    'person',
    `${user}/relatives?sort=fullName&page[limit]=5&fields[users]=fullName`,
  ),
  write('users.relatives.removeMany', 'DELETE', relatives, [somebody]),
  transact,
  { name: farewell, as: 'person', method: 'DELETE', path: user, status: 204 },
]
