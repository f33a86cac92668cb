import { newUser } from './people.ts'
import { type Answer, type RequestOptions, request } from './service.ts'

/** The media type of transactions. */
export const atomicType = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

/** Sends operations as one transaction. */
export function transact(
  token: string | undefined,
  operations: unknown,
  { headers, ...options }: RequestOptions = {},
  search = '',
): Promise<Answer> {
  return request('POST', `/jsonapi/operations${search}`, {
    token,
    body: { 'atomic:operations': operations },
    ...options,
    headers: { accept: atomicType, 'content-type': atomicType, ...headers },
  })
}

/** The operation that adds a user. */
export const add = (lid?: string, wishes: Parameters<typeof newUser>[0] = {}) => ({
  op: 'add',
  data: { ...newUser(wishes).data, ...(lid !== undefined && { lid }) },
})
/** The identifier of a user. */
export const user = (id: string) => ({ type: 'users', id })
/** The operation that removes a user. */
export const remove = (id: string) => ({ op: 'remove', ref: user(id) })
/** The operation that gives a user another name. */
export const rename = (id: string, fullName: string) => ({
  op: 'update',
  data: { ...user(id), attributes: { fullName } },
})
/** An operation on the relatives of a user. */
export const relatives = (op: string, target: object, data: unknown) => ({
  op,
  ref: { type: 'users', relationship: 'relatives', ...target },
  data,
})
