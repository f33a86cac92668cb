import { atomicExtension, operationsPath } from '../../src/jsonapi/atomic/extension.ts'
import { withExtension } from '../../src/jsonapi/json.ts'

/** What one round of the tour knows. */
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
  readonly path: (seen: Seen) => string
  /** Headers that only this request needs. */
  readonly headers?: (seen: Seen) => Readonly<Record<string, string>>
  readonly body?: (seen: Seen) => object
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

/** The media type of transactions. */
const atomic = withExtension(atomicExtension)

/** The name of the stop that sends several writes in one transaction. */
export const transaction = 'operations'

/** The stop that deletes what the tour has created. */
export const farewell = 'users.delete'

/** A read. */
const read = (name: string, as: Stop['as'], path: Stop['path']): Stop => ({
  name,
  as,
  method: 'GET',
  path,
  status: 200,
})

/** A change of a relationship of the user. */
const write = (
  name: string,
  method: Stop['method'],
  path: Stop['path'],
  body: NonNullable<Stop['body']>,
): Stop => ({ name, as: 'person', method, path, body, status: 204 })

/** A create that a client may send again: the second answer shows the user that the first one made. */
const create: Stop = {
  name: 'users.create',
  as: 'person',
  method: 'POST',
  path: () => '/users',
  headers: ({ key }) => ({ 'Idempotency-Key': key }),
  body: ({ key }) => ({
    data: {
      type: 'users',
      attributes: {
        fullName: 'Tove Reise',
        email: `tove.${key}@example.com`,
        addresses: [{ city: 'Oslo', zip: '0150', doorCode: '4711' }],
        creditCardNumber: '4242 4242 4242 4242',
      },
      relationships: { placeOfBirth: { data: country('NO') } },
    },
  }),
  status: 201,
}

/** An update that is done only while the user is still as it was read. */
const update: Stop = {
  name: 'users.update',
  as: 'person',
  method: 'PATCH',
  path: user,
  headers: ({ tag }) => ({ 'If-Match': tag }),
  body: ({ made }) => ({
    data: { type: 'users', id: made, attributes: { fullName: 'Tove Reisen', addresses: [] } },
  }),
  status: 204,
}

/** Several writes of the user in one transaction. */
const transact: Stop = {
  name: transaction,
  as: 'person',
  method: 'POST',
  path: () => operationsPath,
  headers: () => ({ Accept: atomic, 'Content-Type': atomic }),
  body: ({ made, somebody }) => ({
    'atomic:operations': [
      {
        op: 'update',
        data: { type: 'users', id: made, attributes: { fullName: 'Tove Hjem' } },
      },
      {
        op: 'add',
        ref: { type: 'users', id: made, relationship: 'citizenships' },
        data: [country('IS')],
      },
      {
        op: 'add',
        ref: { type: 'users', id: made, relationship: 'relatives' },
        data: [{ type: 'users', id: somebody, meta: { relationshipType: 'BROTHER' } }],
      },
    ],
  }),
  status: 200,
}

/**
 * Every operation, those that belong together one after the other. The create stands there twice: the second is its replay.
 * So does the update: the first has made a new revision, so that the second is refused.
 */
export const stops: readonly Stop[] = [
  read('countries.list', 'machine', () => '/countries?filter[region]=europe&include=currencies'),
  read('countries.get', 'machine', () => '/countries/PA?include=currencies'),
  read('countries.currencies.readMany', 'machine', () => '/countries/PA/relationships/currencies'),
  read('countries.currencies.relatedMany', 'machine', () => '/countries/PA/currencies'),
  read('currencies.list', 'machine', () => '/currencies?filter[id]=NOK,SEK'),
  read(
    'users.list',
    'person',
    () => '/users?sort=fullName&page[limit]=2&fields[users]=fullName,addresses.city',
  ),
  create,
  create,
  read('users.get', 'person', user),
  update,
  { ...update, status: 412 },
  write('users.citizenships.replaceMany', 'PATCH', citizenships, () => ({
    data: [country('NO'), country('SE')],
  })),
  write('users.citizenships.addMany', 'POST', citizenships, () => ({
    data: [country('FI'), country('NO')],
  })),
  write('users.citizenships.removeMany', 'DELETE', citizenships, () => ({
    data: [country('SE')],
  })),
  read(
    'users.citizenships.readMany',
    'person',
    (seen) => `${citizenships(seen)}?include=citizenships`,
  ),
  read(
    'users.citizenships.relatedMany',
    'person',
    (seen) => `${user(seen)}/citizenships?filter[region]=europe&include=currencies`,
  ),
  write('users.placeOfBirth.replaceOne', 'PATCH', placeOfBirth, () => ({ data: country('FI') })),
  read('users.placeOfBirth.readOne', 'person', placeOfBirth),
  read('users.placeOfBirth.relatedOne', 'person', (seen) => `${user(seen)}/placeOfBirth`),
  write('users.relatives.replaceMany', 'PATCH', relatives, (seen) => relative(seen, 'BROTHER')),
  write('users.relatives.addMany', 'POST', relatives, (seen) => relative(seen, 'HUSBAND')),
  read(
    'users.relatives.readMany',
    'person',
    (seen) => `${relatives(seen)}?include=relatives.placeOfBirth&fields[users]=fullName`,
  ),
  read(
    'users.relatives.relatedMany',
    'person',
    (seen) => `${user(seen)}/relatives?sort=fullName&page[limit]=5&fields[users]=fullName`,
  ),
  write('users.relatives.removeMany', 'DELETE', relatives, (seen) => relative(seen)),
  transact,
  { name: farewell, as: 'person', method: 'DELETE', path: user, status: 204 },
]
