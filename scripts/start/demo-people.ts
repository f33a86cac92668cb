import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A demo person, the card number not yet encrypted. */
export interface DemoPerson {
  readonly id: string
  /** The subject that owns this person: the `sub` of its user tokens. */
  readonly owner: string
  readonly fullName: string
  readonly email: string
  /** One of those that issuers publish for tests. */
  readonly cardNumber: string | null
  readonly addresses: readonly object[] | null
  readonly placeOfBirth: string
  readonly citizenships: readonly string[]
  /** Ids of other demo people, and what each of them is to this one. */
  readonly relatives: readonly (readonly [id: string, is: string])[]
}

/**
 * The demo people: the Does; further users of John's, who has more than one, so that the examples of the interface description need not
 * delete him; and ten households, whose names have letters beyond ASCII, which SQLite folds and orders differently.
 */
export const demoUsers: readonly DemoPerson[] = readFileSync(
  join(import.meta.dirname, 'demo-people.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

/** Whom to sign in as: the Does. */
export const demoPeople: readonly { readonly subject: string; readonly name: string }[] = demoUsers
  .filter(({ id, owner }) => id === owner)
  .map(({ owner, fullName }) => ({ subject: owner, name: fullName }))
