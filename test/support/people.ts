import { recounts } from '../../scripts/operate/counters.ts'
import { foldCase, sortKey } from '../../src/db/stored.ts'
import { textOf } from './databases.ts'
import type { Resource } from './documents.ts'
import { withNamedFields } from './fields.ts'
import {
  type Answer,
  type BackDoor,
  get,
  type RequestOptions,
  request,
  serviceUrl,
  uniquePerson,
} from './service.ts'

/** A user that a test made, and whom it belongs to. */
export interface OwnUser {
  readonly id: string
  /** The subject that owns it. */
  readonly owner: string
  /** A token of the owner, who may read and write everything. */
  readonly token: string
}

/** Every scope: a person with them reads and writes everything that they own. */
export const allScopes = 'users.read users.sensitive.read users.citizenships.read users.write'

/** What a user is created with, beside the two attributes that are required. */
export interface Wishes {
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, unknown>>
}

/** An e-mail address that no other test uses. */
export function uniqueEmail(): string {
  return `ann.${crypto.randomUUID()}@example.com`
}

/** The body of a create: the smallest user, with the members that are asked for. */
export function newUser({ attributes, relationships }: Wishes = {}) {
  return {
    data: {
      type: 'users',
      attributes: { fullName: 'Ann Bee', email: uniqueEmail(), ...attributes },
      ...(relationships && { relationships }),
    },
  }
}

/** The body of an update. */
export function change(id: string, wishes: Wishes) {
  return { data: { type: 'users', id, ...wishes } }
}

/** A person and a token of theirs. */
export type Writer = Pick<OwnUser, 'token'> & { readonly sub: string }

/** A person that no other test uses, with a full bucket. Twenty writes empty it. */
export function writer(scope = allScopes): Promise<Writer> {
  return uniquePerson(scope)
}

/** An id that no user has. */
export const somebody = '018f0000-0000-7000-8000-000000000000'

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

/** Creates a user that the person owns, and gives its id. */
export async function userOf(me: Writer, wishes: Wishes = {}, to?: To): Promise<string> {
  const { status, text, document } = await send('POST', '/users', me, newUser(wishes), to)
  if (status !== 201) {
    throw new Error(`The user was not created: ${text}`)
  }
  return document.data.id
}

/** Creates a user of a person that no other test uses, at the usual Worker or at that of an origin. */
export async function createUser(wishes?: Wishes, origin = serviceUrl): Promise<OwnUser> {
  const me = await writer()
  return { id: await userOf(me, wishes, { origin }), owner: me.sub, token: me.token }
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

/** Linkage to countries. */
export function toCountries(...ids: readonly string[]) {
  return { data: countries(...ids) }
}

/** Linkage to users, all of them brothers. */
export function toBrothers(...ids: readonly string[]) {
  return { data: ids.map((id) => relative(id, 'BROTHER')) }
}

/** A row of the users table, as far as lists show it. */
export interface UserRow {
  readonly id: string
  readonly fullName: string
  readonly email: string
}

/**
 * Writes users straight into the database, many at once; those that are there already stay as they are. The service does not count
 * them: they are counted anew in the same transaction.
 */
export async function insertUsers(
  { batch }: Pick<BackDoor, 'batch'>,
  rows: readonly UserRow[],
): Promise<void> {
  const keyed = rows.map((row) => ({
    ...row,
    nameKey: sortKey(row.fullName),
    emailKey: foldCase(row.email),
  }))
  await batch([
    [
      `INSERT OR IGNORE INTO users (id, owner, full_name, full_name_key, email, email_key)
        SELECT value ->> 'id', 'nobody', value ->> 'fullName', value ->> 'nameKey', value ->> 'email', value ->> 'emailKey'
        FROM json_each(?1)`,
      JSON.stringify(keyed),
    ],
    ...recounts.map(textOf),
  ])
}
