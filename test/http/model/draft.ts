import fc from 'fast-check'
import type { ModelRequest } from './state.ts'

/**
 * A request before anybody sent it. `#0`, `#1` and so on stand for the ids of users in the order of their creation, and `~0`, `~1` and so
 * on for what makes an e-mail address one of the run. The caller is a person and the name of some scopes: `ann all`; or `client`.
 * `owner` is whoever owns the user of the path.
 */
export type Draft = Omit<ModelRequest, 'caller'> & { readonly caller: string }

const people = fc.constantFrom('owner', 'ann', 'bob', 'eve')
const scopes = fc.constantFrom('all', 'plain', 'blind', 'reader')
const caller = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom('owner all', 'owner plain') },
  { weight: 5, arbitrary: fc.tuple(people, scopes).map((names) => names.join(' ')) },
  { weight: 1, arbitrary: fc.constant('client') },
)

/** What `fields[countries]` may say. */
export const countryFields = fc.constantFrom('', 'name', 'region,currencies')
/** What `fields[…]` may say. */
export const fields = {
  'fields[users]': fc.constantFrom(
    ...['', 'fullName', 'email,relatives', 'creditCardNumber,placeOfBirth,addresses'],
    'addresses.city,addresses.doorCode,citizenships',
  ),
  'fields[countries]': countryFields,
}

/** A query of some of the parameters. */
export function some(
  parameters: Readonly<Record<string, fc.Arbitrary<string>>>,
  required: readonly string[] = [],
) {
  return fc.record(parameters, { requiredKeys: [...required] }) as fc.Arbitrary<
    Record<string, string>
  >
}

/** Paths from a user, that begin with a relationship or with any. */
export function paths(first = ''): fc.Arbitrary<string> {
  const all = [
    ...['citizenships', 'placeOfBirth', 'relatives', 'citizenships.currencies'],
    ...['relatives.placeOfBirth', 'relatives.relatives', 'relatives.relatives.citizenships'],
    'relatives.citizenships.currencies',
  ].filter((path) => path.startsWith(first))
  return fc
    .subarray(all, { minLength: 1, maxLength: Math.min(3, all.length) })
    .map((list) => list.join(','))
}

/** A draft by somebody. */
export function draft(
  method: Draft['method'],
  path: fc.Arbitrary<string>,
  { query = fc.constant({}), body }: Parts = {},
): fc.Arbitrary<Draft> {
  return fc.record({ caller, method: fc.constant(method), path, query, ...(body && { body }) })
}

interface Parts {
  readonly query?: fc.Arbitrary<Record<string, string>>
  readonly body?: fc.Arbitrary<unknown>
}

/** What `sort` may say. */
export const sorts = fc.constantFrom(
  ...['fullName', '-fullName', 'email', '-email', 'fullName,-email', '-fullName,email'],
)
/** Ids of some users. */
export const someUsers = fc
  .subarray(['#0', '#1', '#2', '#3', '#4', '#5'])
  .map((ids) => ids.join(','))
