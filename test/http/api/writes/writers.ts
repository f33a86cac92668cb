import type { Resource } from '../../../support/documents.ts'
import { withNamedFields } from '../../../support/fields.ts'
import { allScopes, newUser, type Wishes } from '../../../support/people.ts'
import {
  type Answer,
  get,
  type RequestOptions,
  request,
  uniquePerson,
} from '../../../support/service.ts'

/** A person and a token of theirs. */
export interface Writer {
  readonly sub: string
  readonly token: string
}

/** A person that no other test uses, with a full bucket. Twenty writes empty it. */
export function writer(scope = allScopes): Promise<Writer> {
  return uniquePerson(scope)
}

/** An id that no user has. */
export const somebody = '018f0000-0000-7000-8000-000000000000'

/** Creates a user that the person owns, and gives its id. */
export async function userOf(me: Writer, wishes: Wishes = {}, to?: To): Promise<string> {
  const answer = await send('POST', '/users', me, newUser(wishes), to)
  if (answer.status !== 201) {
    throw new Error(`The user was not created: ${answer.text}`)
  }
  return answer.document.data.id
}

/** The body of an update. */
export function change(id: string, { attributes, relationships }: Wishes) {
  return {
    data: {
      type: 'users',
      id,
      ...(attributes && { attributes }),
      ...(relationships && { relationships }),
    },
  }
}

/** Addresses that are so many bytes as JSON, 1,891 or more, and far fewer characters. */
export function addressesOf(bytes: number) {
  const long = Array(7).fill({ city: 'å'.repeat(128) })
  const rest = bytes - Buffer.byteLength(JSON.stringify([...long, { city: '' }]))
  return [...long, { city: 'å'.repeat(rest / 2) + 'x'.repeat(rest % 2) }]
}

/** The Worker to ask, when it is another than the usual one. */
type To = Pick<RequestOptions, 'origin'>

/** Sends a write, `('PATCH', '/users/1', …)`. */
export function send(
  method: string,
  path: string,
  { token }: Pick<Writer, 'token'>,
  body?: unknown,
  { origin }: To = {},
): Promise<Answer> {
  return request(method, `/jsonapi${path}`, { token, body, ...(origin && { origin }) })
}

/** A user as the person sees it. */
export async function seen(id: string, { token }: Pick<Writer, 'token'>): Promise<Resource> {
  return withNamedFields((await get(`/users/${id}`, token)).document).data
}

/** Identifiers of countries. */
export function countries(...ids: readonly string[]) {
  return ids.map((id) => ({ type: 'countries', id }))
}

/** The identifier of a user as a relative. */
export function relative(id: string, relationshipType: string) {
  return { type: 'users', id, meta: { relationshipType } }
}
