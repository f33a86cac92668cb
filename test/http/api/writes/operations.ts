import { newUser } from '../../../support/people.ts'

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
