import { recounts } from '../../scripts/operate/counters.ts'
import { foldCase, sortKey } from '../../src/db/stored.ts'
import type { SqlStatement } from './back-door.ts'
import { textOf } from './databases.ts'
import { type BackDoor, request, uniquePerson } from './service.ts'

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

/**
 * Creates a user over HTTP, owned by a person that no other test uses.
 *
 * @param origin of another Worker than the usual one
 */
export async function createUser(wishes?: Wishes, origin?: string): Promise<OwnUser> {
  const { sub, token } = await uniquePerson(allScopes)
  const options = { token, body: newUser(wishes), ...(origin !== undefined && { origin }) }
  const { status, text, document } = await request('POST', '/jsonapi/users', options)
  if (status !== 201) {
    throw new Error(text)
  }
  return { id: document.data.id, owner: sub, token }
}

/** Linkage to countries. */
export function toCountries(...ids: readonly string[]): { readonly data: unknown } {
  return { data: ids.map((id) => ({ type: 'countries', id })) }
}

/** Linkage to users, all of them brothers. */
export function toBrothers(...ids: readonly string[]): { readonly data: unknown } {
  const meta = { relationshipType: 'BROTHER' }
  return { data: ids.map((id) => ({ type: 'users', id, meta })) }
}

/** A row of the users table, as far as lists show it. */
export interface UserRow {
  readonly id: string
  readonly fullName: string
  readonly email: string
}

/** Adds or deletes users past the service, which does not count them then: they are counted anew in the same transaction. */
export async function changeUsers(
  { batch }: Pick<BackDoor, 'batch'>,
  ...statement: SqlStatement
): Promise<void> {
  await batch([statement, ...recounts.map(textOf)])
}

/** Writes users straight into the database, many at once; those that are there already stay as they are. */
export async function insertUsers(
  to: Pick<BackDoor, 'batch'>,
  rows: readonly UserRow[],
): Promise<void> {
  await changeUsers(
    to,
    `INSERT OR IGNORE INTO users (id, owner, full_name, full_name_key, email, email_key)
      SELECT value ->> 'id', 'nobody', value ->> 'fullName', value ->> 'nameKey', value ->> 'email', value ->> 'emailKey'
      FROM json_each(?1)`,
    JSON.stringify(
      rows.map((row) => ({
        ...row,
        nameKey: sortKey(row.fullName),
        emailKey: foldCase(row.email),
      })),
    ),
  )
}
