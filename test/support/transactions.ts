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
