import { type DescribedOperation, takesAnyToken } from '../read-description.ts'
import type { Sent } from './documented.ts'

/** Who sends a request, and to which Worker, where it is not the owner and the usual one. */
export interface Faulty {
  readonly sent: Sent
  readonly caller?: 'nobody' | 'expired' | 'client' | 'blocked' | undefined
  readonly service?: 'slow' | 'broken' | 'blocking' | undefined
  /** How many citizenships the user of the path has beforehand. */
  readonly citizenships?: number
}

type Data = Readonly<Record<string, unknown>>

/** What holds the data of a request: its body, or the first operation of a transaction. */
interface Holder {
  readonly data: Data | readonly Data[]
}

const transaction = 'atomic:operations'

function operationsIn({ body }: Sent): readonly Holder[] | undefined {
  return (body as Readonly<Record<string, readonly Holder[]>>)[transaction]
}

/** The data of a request, or of its first identifier. */
function dataOf(sent: Sent): Data {
  const [{ data }] = (operationsIn(sent) ?? [sent.body]) as readonly [Holder]
  return ([data].flat() as readonly Data[])[0] ?? {}
}

/** The request with other members in its data, or in its first identifier; an undefined one is taken out. */
function withData(sent: Sent, members: Data): Sent {
  const [holder, ...others] = (operationsIn(sent) ?? [sent.body]) as readonly [Holder]
  const data = { ...dataOf(sent), ...members }
  const changed = { ...holder, data: Array.isArray(holder.data) ? [data] : data }
  return { ...sent, body: operationsIn(sent) ? { [transaction]: [changed, ...others] } : changed }
}

function withAttributes(sent: Sent, attributes: Data): Sent {
  const present = dataOf(sent).attributes as Data
  return withData(sent, { attributes: { ...present, ...attributes } })
}

function withQuery(sent: Sent, name: string, value: string): Sent {
  return { ...sent, query: [...sent.query.filter(([other]) => other !== name), [name, value]] }
}

function withHeader(sent: Sent, name: string, value: string): Sent {
  return { ...sent, headers: { ...sent.headers, [name]: value } }
}

/** The request about another resource than the one of the path. */
function withId(sent: Sent, id: string): Sent {
  return { ...sent, path: sent.path.replace(/^(\/\w+\/)[^/]+/, `$1${id}`) }
}

const unknownBirthplace = { placeOfBirth: { data: { type: 'countries', id: 'XX' } } }

/** A request with a fault that only a body of a resource can have, beside one that makes the answer a 400. */
function mixed(status: string, sent: Sent): Sent {
  return status === '400' ? withQuery(sent, 'page[size]', '10') : sent
}

/** A transaction that gives two resources the same `lid`; undefined for any other request. */
function addedTwice(sent: Sent): Sent | undefined {
  const [add] = operationsIn(sent) ?? []
  return add && { ...sent, body: { [transaction]: [add, add] } }
}

/** How a documented request has to change for an error of each code. */
export const faults: Readonly<
  Record<string, (sent: Sent, status: string, operation: DescribedOperation) => Faulty>
> = {
  INVALID_ENUM_VALUE: (sent, _, { parameters }) => ({
    sent: parameters.some(({ name }) => name === 'include')
      ? withQuery(sent, 'include', 'friends')
      : sent.body === undefined
        ? withQuery(sent, 'fields[currencies]', 'colour')
        : dataOf(sent).attributes
          ? withData(sent, {
              relationships: { placeOfBirth: { data: { type: 'currencies', id: 'NOK' } } },
            })
          : withData(sent, { type: 'currencies' }),
  }),
  VALUE_INVALID_FORMAT: (sent, _, { parameters }) => ({
    sent: parameters.some(({ name }) => name === 'page[cursor]')
      ? withQuery(sent, 'page[cursor]', '20')
      : sent.body === undefined
        ? withId(sent, '1'.repeat(65))
        : dataOf(sent).attributes
          ? withAttributes(sent, { email: 'kari.nordmann' })
          : withData(sent, { id: '' }),
  }),
  VALUE_IS_ABSENT: (sent) => ({ sent: withData(sent, { type: undefined }) }),
  INVALID_PAYLOAD: (sent) => ({ sent: { ...sent, body: '{ "data": ' } }),
  UNEXPECTED_PARAMETER: (sent) => ({ sent: withQuery(sent, 'page[size]', '10') }),
  UNAUTHORIZED: (sent) => ({ sent, caller: 'nobody' }),
  ACCESS_TOKEN_EXPIRED: (sent) => ({ sent, caller: 'expired' }),
  INSUFFICIENT_ENTITLEMENTS: (sent, _, operation) =>
    takesAnyToken(operation)
      ? { sent, caller: 'blocked', service: 'blocking' }
      : { sent, caller: 'client' },
  CLIENT_GENERATED_ID_NOT_SUPPORTED: (sent, status) => ({
    sent: mixed(status, withData(sent, { id: '7' })),
  }),
  FULL_REPLACEMENT_NOT_SUPPORTED: (sent) => {
    const relationships = { citizenships: { data: [{ type: 'countries', id: 'NO' }] } }
    const update = { op: 'update', data: { type: 'users', id: '1', relationships } }
    return {
      sent: operationsIn(sent)
        ? { ...sent, body: { [transaction]: [update] } }
        : withData(sent, { relationships }),
      citizenships: 21,
    }
  },
  NOT_FOUND: (sent, status) => ({
    sent:
      status === '400'
        ? mixed(status, withData(sent, { type: 'countries' }))
        : sent.method === 'POST'
          ? withData(sent, { relationships: unknownBirthplace })
          : withId(sent, 'XX'),
  }),
  METHOD_NOT_SUPPORTED: ({ body: _, ...sent }) => ({ sent: { ...sent, method: 'PUT' } }),
  NOT_ACCEPTABLE: (sent) => ({ sent: withHeader(sent, 'accept', 'text/html') }),
  CONFLICT: (sent, status) => ({
    sent:
      sent.method === 'PATCH'
        ? mixed(status, withData(sent, { id: '2' }))
        : status === '400'
          ? mixed(status, addedTwice(sent) ?? withData(sent, { type: 'people' }))
          : withAttributes(sent, { email: 'john.doe@example.com' }),
  }),
  PRECONDITION_FAILED: (sent) => ({ sent: withHeader(sent, 'if-match', '"0"') }),
  UNSUPPORTED_MEDIA_TYPE: (sent) => ({
    sent: withHeader(sent, 'content-type', 'application/json'),
  }),
  TOO_MANY_REQUESTS: (sent) => ({ sent, service: 'slow' }),
  INTERNAL_SERVER_ERROR: (sent) => ({ sent, service: 'broken' }),
}
