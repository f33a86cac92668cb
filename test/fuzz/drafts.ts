import fc, { type Arbitrary } from 'fast-check'
import { allScopes } from '../bench/issuer.ts'
import { atomicType, mediaType, type Operation } from './description.ts'
import { type Mutation, mutation, noDocuments } from './mutations.ts'
import { wrongTokens } from './tokens.ts'
import { isTransaction, transactionOf } from './transactions.ts'
import { type Ids, textOf, valid } from './values.ts'

/** What is done to a request that would be right. */
export type Twist =
  | { readonly kind: 'none' | 'client' | 'other' | 'unknown' }
  | { readonly kind: 'token' | 'accept' | 'type' | 'id' | 'query' | 'match' | 'raw'; value: string }
  | { readonly kind: 'scopes'; readonly scopes: readonly string[] }
  | { readonly kind: 'mutation'; readonly changes: readonly (readonly [number, Mutation])[] }

/** A request before it is known whose ids and tokens it is made with: right, but for its twist. */
export interface Draft {
  readonly accept: string | undefined
  readonly type: string
  /** Pairs as they stand in the URL. */
  readonly query: readonly string[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** With placeholders for the id and for texts that must be unique; undefined where the operation has none. */
  readonly body: unknown
  readonly twist: Twist
}

/** What requests are made of, beside the description of their own operation. */
export interface Known {
  /** Ids that exist, by type. */
  readonly ids: Ids
  readonly operations: readonly Operation[]
}

type Parameter = Operation['parameters'][number]

/** The longest query string that is made of right values: the service takes 4,096 characters. */
const mostQuery = 4_000

/** Headers that change nothing but whether a body comes, and whether a write meets its condition. */
const oddHeaders = [
  ['If-None-Match', '*'],
  ['If-None-Match', '"x", W/"y",, z'],
  ['X-D1-Bookmark', '00000000-00000000-00000000-00000000000000000000000000000000'],
  ['X-D1-Bookmark', 'zzzz'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Range', 'bytes=0-1'],
  ['Origin', 'https://evil.example'],
  ['Cookie', `a=${'b'.repeat(4000)}`],
  ['Accept-Language', '\u00ff'],
] as const

/** Ids that no resource has, and no path may hold. */
const hostileIds = [
  ...['%00', 'a%00b', '%ED%A0%80', '%', '%zz', '%E0%A4%A', 'x'.repeat(65), '%2F', '__proto__'],
  ...['x'.repeat(5000), "1'%20OR%20'1'='1", '%0D%0AX-Injected:%201'],
]

/** Pairs that no operation takes, and a query that is too long. */
const badPairs = [
  ...['x=1', 'page[size]=1', 'filter[name]=x', 'fields[dogs]=x', 'fields=name', '__proto__=1'],
  ...['constructor=1', 'include[]=relatives', 'access_token=x', '%ff=1', `x=${'y'.repeat(5000)}`],
]

/** Requests for an operation: half of them right, the others with one twist. */
export function draftOf(operation: Operation, known: Known): Arbitrary<Draft> {
  const transacts = isTransaction(operation)
  const [type, other] = transacts ? [atomicType, mediaType] : [mediaType, atomicType]
  const withProfile = `${type}; profile="https://profiles.example/p"`
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  const body = transacts
    ? transactionOf(known.operations, known.ids)
    : operation.body && valid(operation.body.schema, known.ids)
  return fc.record({
    accept: fc.constantFrom(undefined, '*/*', 'application/*', type, `${type}, a/b`, withProfile),
    type: fc.constantFrom(type, withProfile, type.replace(mediaType, mediaType.toUpperCase())),
    query: goodQuery(query, known.ids),
    headers: fc.subarray([...oddHeaders], { maxLength: 2 }),
    body: body ?? fc.constant(undefined),
    twist: fc.oneof(fc.constant({ kind: 'none' } as const), twistOf(operation, query, type, other)),
  })
}

function twistOf(
  { path, body }: Operation,
  query: readonly Parameter[],
  type: string,
  other: string,
): Arbitrary<Twist> {
  type Valued = Extract<Twist, { value: string }>
  const oneOf = (kind: Valued['kind'], ...values: readonly string[]): Arbitrary<Twist> =>
    fc.constantFrom(...values).map((value) => ({ kind, value }))
  const badTypes = [other, `${type};charset=utf-8`, `${mediaType};ext="https://e.example"`, 'x']
  const scopes = fc.subarray(allScopes.split(' '))
  const changes = fc.array(fc.tuple(fc.nat(1000), mutation), { minLength: 1, maxLength: 2 })
  const ofId = [
    fc.constant<Twist>({ kind: 'other' }),
    fc.constant<Twist>({ kind: 'unknown' }),
    oneOf('id', ...hostileIds),
  ]
  const mutated = changes.map((each): Twist => ({ kind: 'mutation', changes: each }))
  const ofBody = [
    oneOf('type', ...badTypes, 'application/json', ''),
    oneOf('raw', ...noDocuments),
    // More often than others: there are more of them.
    { weight: 5, arbitrary: mutated },
  ]
  return fc.oneof(
    fc.constant<Twist>({ kind: 'client' }),
    scopes.map((some): Twist => ({ kind: 'scopes', scopes: some })),
    oneOf('token', ...wrongTokens),
    oneOf('accept', ...badTypes, 'text/html', `${type};q=0`),
    oneOf('match', '"x.y"', 'x'),
    oneOf('query', ...badPairs, ...query.flatMap(badPairsOf)),
    ...(path.includes('{id}') ? ofId : []),
    ...(body ? ofBody : []),
  )
}

/** Some of the parameters, each with a value that it takes. A cursor comes from an answer alone. */
function goodQuery(parameters: readonly Parameter[], ids: Ids): Arbitrary<readonly string[]> {
  return fc
    .subarray(parameters.filter(({ name }) => name !== 'page[cursor]'))
    .chain((some) => {
      const pairs = some.map((parameter) => {
        const name = fc.constantFrom(parameter.name, encodeURIComponent(parameter.name))
        return fc.tuple(name, goodValue(parameter, ids)).map((pair) => pair.join('='))
      })
      return fc.tuple(...pairs)
    })
    .map((pairs) =>
      pairs.filter((_, index) => pairs.slice(0, index + 1).join('&').length < mostQuery),
    )
}

function goodValue({ name, schema }: Parameter, ids: Ids): Arbitrary<string> {
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
    return fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, 1000) }).map(String),
      fc.constantFrom(minimum, maximum).map(String),
    )
  }
  if (schema.type === 'array') {
    const { items = {}, maxItems = 12 } = schema
    const text = items.pattern ? fc.stringMatching(new RegExp(items.pattern)) : textOf(1, 30)
    const item = items.enum
      ? fc.constantFrom(...items.enum).map(String)
      : name === 'filter[id]'
        ? fc.oneof(text, fc.constantFrom(...Object.values(ids).flat()))
        : text
    return fc
      .array(item, { minLength: 1, maxLength: maxItems, size: 'max' })
      .map((list) => list.map((one) => encodeURIComponent(one.replaceAll(',', ''))).join(','))
  }
  return textOf(1, 20).map(encodeURIComponent)
}

/** Pairs of a parameter that it does not take. */
function badPairsOf({ name, schema }: Parameter): string[] {
  const { items = {}, maxItems, minimum = 0, maximum } = schema
  const values = ['%', '%zz', 'a%E0%A4%A', '%ED%A0%80', '%00']
  if (schema.type === 'integer') {
    values.push(String(minimum - 1), '', '1.5', 'x', '1e3', '0x1', '%201', '9223372036854775808')
    values.push('1,2', 'null', ...(maximum === undefined ? [] : [String(maximum + 1)]))
  } else if (schema.type === 'array') {
    const [first = 'a'] = (items.enum ?? [items.example]).map(String)
    const distinct = items.enum?.map(String) ?? Array.from({ length: 200 }, (_, nth) => `v${nth}`)
    if (items.enum || items.pattern) {
      values.push('nonsense', `${first},nonsense`, '__proto__', `${first}.x`, 'toString')
    }
    if (maxItems !== undefined && distinct.length > maxItems) {
      values.push(distinct.slice(0, maxItems + 1).join(','))
    }
  } else {
    values.push('x', '0', '3nI1Esi', 'Z'.repeat(3000), '-1', '!', '')
  }
  return [...values.map((value) => `${name}=${value}`), `${name}=1&${name}=1`]
}
