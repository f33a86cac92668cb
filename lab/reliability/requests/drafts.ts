import fc, { type Arbitrary } from 'fast-check'
import { allScopes } from '../../../test/bench/issuer.ts'
import { mutate, mutation, noDocuments } from '../../../test/fuzz/mutations.ts'
import { wrongTokens } from '../../../test/fuzz/tokens.ts'
import { isTransaction, transactionOf } from '../../../test/fuzz/transactions.ts'
import { type Ids, textOf, valid } from '../../../test/fuzz/values.ts'
import { atomicType, mediaType, type Operation, type Parameter } from './description.ts'
import { goodLong, longPairs } from './long.ts'
import { hostileIds, oddHeaders, unknownPairs } from './oddities.ts'

/** What requests are made of, beside the description of their own operation. */
export interface Known {
  /** Ids that exist, by type. */
  readonly ids: Ids
  readonly operations: readonly Operation[]
  /** Where pages by offset are worth a look. */
  readonly offsets?: readonly number[]
}

/** A part of a request, and whether it is as it should be. */
interface Piece<Value> {
  readonly value: Value
  readonly isGood: boolean
}

/** Who asks. */
type Who =
  | { readonly kind: 'person'; readonly scopes: readonly string[] }
  | { readonly kind: 'client' }
  | { readonly kind: 'wrong'; readonly name: string }

/** What a path's id is of. */
type Target = 'own' | 'other' | 'unknown' | { readonly hostile: string }

/** The body of a request: JSON, or the bytes of a text in Latin-1. */
type Body =
  | { readonly kind: 'json'; readonly isWhole: boolean; readonly body: unknown }
  | { readonly kind: 'raw'; readonly text: string }

/** A request before it is known whose ids and tokens it is made with. */
export interface Draft {
  readonly who: Who
  readonly accept: Piece<string | undefined>
  readonly contentType: Piece<string | undefined>
  readonly target: Target
  /** Pairs as they stand in the URL. */
  readonly query: readonly Piece<string>[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** `*` holds for whatever is there, any other tag here for nothing. */
  readonly ifMatch: string | undefined
  readonly body: Body | undefined
}

/** Requests for an operation of those described: good ones, and ones with one or more bad parts. */
export function draftOf(operation: Operation, known: Known): Arbitrary<Draft> {
  const { parameters, body } = operation
  const transacts = isTransaction(operation)
  const [type, other] = transacts ? [atomicType, mediaType] : [mediaType, atomicType]
  const withProfile = `${type}; profile="https://profiles.example/p"`
  return fc.record({
    who: whoOf(operation),
    accept: either(
      [undefined, '*/*', 'application/*', type, `${type}, text/html;q=0.5`, withProfile],
      [
        'text/html',
        other,
        `${type};charset=utf-8`,
        `${type};q=0`,
        `${mediaType};ext="https://e.example"`,
        'x',
      ],
    ),
    contentType: either(
      [type, withProfile, type.replace(mediaType, mediaType.toUpperCase())],
      [
        undefined,
        'application/json',
        other,
        `${type};charset=utf-8`,
        `${mediaType};ext="https://e.example"`,
        'x',
      ],
    ),
    target: fc.oneof(
      { weight: 12, arbitrary: fc.constant('own' as const) },
      { weight: 2, arbitrary: fc.constant('other' as const) },
      { weight: 1, arbitrary: fc.constant('unknown' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...hostileIds).map((hostile) => ({ hostile })) },
    ),
    query: queryOf(
      parameters.filter((parameter) => parameter.in === 'query'),
      known,
    ),
    headers: fc.subarray([...oddHeaders], { maxLength: 2 }),
    ifMatch: fc.oneof(
      { weight: 16, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('*', '"x.y"', 'x') },
    ),
    body: body
      ? bodyOf(
          transacts ? transactionOf(known.operations, known.ids) : valid(body.schema, known.ids),
        )
      : fc.constant(undefined),
  })
}

function whoOf({ scopes, takesClients }: Operation): Arbitrary<Who> {
  const every = allScopes.split(' ')
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant({ kind: 'person', scopes: every } as const) },
    {
      weight: 3,
      arbitrary: fc.subarray(every).map((some) => ({ kind: 'person', scopes: some }) as const),
    },
    { weight: takesClients ? 4 : 1, arbitrary: fc.constant({ kind: 'client' } as const) },
    {
      weight: scopes.length > 0 ? 2 : 3,
      arbitrary: fc.constantFrom(...wrongTokens).map((name) => ({ kind: 'wrong', name }) as const),
    },
  )
}

function either<Value>(good: readonly Value[], bad: readonly Value[]): Arbitrary<Piece<Value>> {
  const piece = (isGood: boolean) => (value: Value) => ({ value, isGood })
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...good).map(piece(true)) },
    { weight: 1, arbitrary: fc.constantFrom(...bad).map(piece(false)) },
  )
}

function queryOf(
  parameters: readonly Parameter[],
  known: Known,
): Arbitrary<readonly Piece<string>[]> {
  const goods = parameters.filter(({ name }) => name !== 'page[cursor]')
  const good = fc
    .subarray(goods)
    .chain((some) => fc.tuple(...some.map((parameter) => goodPair(parameter, known))))
    .map((pairs) => pairs.map((value) => ({ value, isGood: true })))
  const long = goodLong(parameters).map((value) => [{ value, isGood: true }])
  const bad = fc.oneof(
    fc.constantFrom(...unknownPairs),
    ...parameters.flatMap((parameter) => [
      fc.constantFrom(...badValues(parameter)).map((value) => `${parameter.name}=${value}`),
      goodPair(parameter, known).map((pair) => `${pair}&${pair}`),
    ]),
  )
  return fc.oneof(
    { weight: 20, arbitrary: good },
    { weight: 1, arbitrary: long },
    { weight: 2, arbitrary: longPairs(parameters).map((value) => [{ value, isGood: false }]) },
    {
      weight: 4,
      arbitrary: fc.tuple(good, bad).map(([some, value]) => [...some, { value, isGood: false }]),
    },
  )
}

function goodPair(parameter: Parameter, known: Known): Arbitrary<string> {
  const { name } = parameter
  const encodedName = fc.constantFrom(name, encodeURIComponent(name))
  return fc
    .tuple(encodedName, goodValue(parameter, known))
    .map(([spelt, value]) => `${spelt}=${value}`)
}

function goodValue(
  { name, schema, allowEmptyValue = false }: Parameter,
  { ids, offsets = [] }: Known,
): Arbitrary<string> {
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
    const bounds =
      maximum < Number.MAX_SAFE_INTEGER ? [minimum, maximum] : [minimum, '9223372036854775807']
    return fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, 1000) }).map(String),
      fc.constantFrom(...bounds.map(String)),
      ...(name === 'page[offset]' && offsets.length > 0
        ? [fc.constantFrom(...offsets).map(String)]
        : []),
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
      .array(item, { minLength: allowEmptyValue ? 0 : 1, maxLength: maxItems, size: 'max' })
      .map((list) => list.map((one) => encodeURIComponent(one.replaceAll(',', ''))).join(','))
  }
  return textOf(1, 20).map(encodeURIComponent)
}

function badValues({ schema }: Parameter): readonly string[] {
  const broken = ['%', '%zz', 'a%E0%A4%A', '%ED%A0%80', '%00']
  if (schema.type === 'integer') {
    const { minimum = 0, maximum } = schema
    const beyond = [minimum - 1, ...(maximum === undefined ? [] : [maximum + 1])].map(String)
    return [
      ...broken,
      ...beyond,
      '',
      '1.5',
      'x',
      '1e3',
      '0x1',
      '%201',
      '9223372036854775808',
      '1,2',
      'null',
    ]
  }
  if (schema.type === 'array') {
    const { items = {}, maxItems } = schema
    const values = (items.enum ?? [items.example ?? 'a', 'b']).map(String)
    const distinct =
      items.enum?.map(String) ?? Array.from({ length: 200 }, (_, index) => `v${index}`)
    // Values that are repeated may count once.
    const tooMany = maxItems === undefined ? [] : distinct.slice(0, maxItems + 1)
    return [
      ...broken,
      ...(items.enum || items.pattern
        ? ['nonsense', `${values[0]},nonsense`, '__proto__', `${values[0]}.x`, 'toString']
        : []),
      ...(maxItems !== undefined && tooMany.length > maxItems ? [tooMany.join(',')] : []),
    ]
  }
  return [...broken, 'x', '0', '3nI1Esi', 'Z'.repeat(3000), '-1', '!', '']
}

function bodyOf(good: Arbitrary<unknown>): Arbitrary<Body> {
  const mutated = fc
    .tuple(good, fc.array(fc.tuple(fc.nat(1000), mutation), { minLength: 1, maxLength: 2 }))
    .map(([whole, changes]) => {
      const body = changes.reduce((spoilt, [place, what]) => mutate(spoilt, place, what), whole)
      return { kind: 'json', isWhole: false, body } as const
    })
  return fc.oneof(
    { weight: 6, arbitrary: good.map((body) => ({ kind: 'json', isWhole: true, body }) as const) },
    { weight: 5, arbitrary: mutated },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...noDocuments).map((text) => ({ kind: 'raw', text }) as const),
    },
  )
}
