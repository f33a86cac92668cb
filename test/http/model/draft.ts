import fc from 'fast-check'
import { user } from './bodies.ts'
import type { ModelRequest } from './state.ts'

/**
 * A request before anybody sent it. `#0`, `#1` and so on stand for the ids of users in the order of their creation,
 * and `~0`, `~1` and so on for what makes an e-mail address one of the run. The caller is a person and the name of
 * some scopes: `ann all`; or `client`. `owner` is whoever owns the user of the path.
 */
export type Draft = Omit<ModelRequest, 'caller' | 'condition'> & {
  readonly caller: string
  /** The revision that `If-Match` names. */
  readonly revision?: 'newest' | 'older' | 'none' | 'any' | undefined
}

const caller = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom('owner all', 'owner plain') },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.constantFrom('owner', 'ann', 'bob', 'eve'),
        fc.constantFrom('all', 'plain', 'blind', 'reader'),
      )
      .map((names) => names.join(' ')),
  },
  { weight: 1, arbitrary: fc.constant('client') },
)

const userFields = fc.constantFrom(
  '',
  'fullName',
  'email,relatives',
  'addresses.city,addresses.doorCode,citizenships',
  'creditCardNumber,placeOfBirth,addresses',
)
/** What `fields[countries]` may say. */
export const countryFields = fc.constantFrom('', 'name', 'region,currencies')
/** What `fields[…]` may say. */
export const fields = { 'fields[users]': userFields, 'fields[countries]': countryFields }

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
export function paths(first?: string): fc.Arbitrary<string> {
  const all = [
    'citizenships',
    'placeOfBirth',
    'relatives',
    'citizenships.currencies',
    'relatives.placeOfBirth',
    'relatives.relatives',
    'relatives.relatives.citizenships',
    'relatives.citizenships.currencies',
  ].filter((path) => first === undefined || path.startsWith(first))
  return fc
    .subarray(all, { minLength: 1, maxLength: Math.min(3, all.length) })
    .map((list) => list.join(','))
}

const none = fc.constant({})
const revision = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Draft['revision'][]>('newest', 'newest', 'older', 'none', 'any'),
  },
)

/** A draft by somebody. */
export function draft(parts: {
  readonly method: Draft['method']
  readonly path: fc.Arbitrary<string>
  readonly query?: fc.Arbitrary<Record<string, string>>
  readonly body?: fc.Arbitrary<unknown>
  readonly key?: fc.Arbitrary<string>
}): fc.Arbitrary<Draft> {
  const { method, path, query = none, body, key } = parts
  return fc.record({
    caller,
    method: fc.constant(method),
    path,
    query,
    ...(body && { body }),
    ...(key && { key }),
    ...(method !== 'GET' && !key && { revision }),
  })
}

/** The path of a user. */
export const item = user.map((id) => `/users/${id}`)
/** The path of a relationship of a user. */
export const at = (name: string) => item.map((path) => `${path}/relationships/${name}`)

/** What `sort` may say. */
export const sorts = fc.constantFrom(
  'fullName',
  '-fullName',
  'email',
  '-email',
  'fullName,-email',
  '-fullName,email',
)
/** Ids of some users. */
export const someUsers = fc
  .subarray(['#0', '#1', '#2', '#3', '#4', '#5'])
  .map((ids) => ids.join(','))
