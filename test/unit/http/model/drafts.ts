import fc from 'fast-check'
import type { By, Op, ToMany, Wish } from './requests.ts'
import type { Fate } from './service.ts'

/** A number that stands for one of the users that there are when the request is sent, or were. */
export interface Pick {
  readonly nth: number
  /** Rather one that an earlier operation of the transaction has added, if there is one. */
  readonly isNew: boolean
}

/** A member of a relationship before it is known which users there are. */
export type DraftMember =
  | { readonly country: string }
  | { readonly relative: Pick; readonly kinship: string }

/** What an operation sets, before it is known which users there are. */
export interface DraftWish extends Omit<Wish, ToMany> {
  readonly citizenships?: readonly DraftMember[]
  readonly relatives?: readonly DraftMember[]
}

/** An operation before it is known which users there are. */
export interface DraftOp {
  readonly kind: Op['kind']
  /** Is its user that of the operation before it, if there is one? */
  readonly isSame: boolean
  readonly pick: Pick
  readonly by: By
  readonly wish: DraftWish
  readonly required: { readonly fullName: string; readonly email: string }
  readonly country: string | null
  readonly name: ToMany
  readonly citizenships: readonly DraftMember[]
  readonly relatives: readonly DraftMember[]
}

/** What a condition names: the newest revision of the user, an older one, one that never was, or any. */
export type Condition = 'newest' | 'older' | 'none' | 'any'

/** A step of a sequence. */
export type Draft =
  | { readonly kind: 'read'; readonly caller: string; readonly nth: number }
  | {
      readonly kind: 'write'
      /** `owner` is whoever owns the user that is written first. */
      readonly caller: string
      readonly ops: readonly DraftOp[]
      readonly isTransaction: boolean
      readonly key: string | undefined
      readonly condition: Condition | undefined
      readonly fates: readonly Fate[]
    }
  /** Sends an earlier write once more, as it was: the last one, or one before it. */
  | { readonly kind: 'again'; readonly back: number; readonly fates: readonly Fate[] }

const person = fc.constantFrom('ann', 'ann', 'ann', 'bob', 'cat')
const nth = fc.oneof(
  { weight: 30, arbitrary: fc.nat(5) },
  { weight: 1, arbitrary: fc.constant(-1) },
)
const pick = fc.record({ nth, isNew: fc.boolean() })
const country = fc.constantFrom('XX', ...Array(7).fill(['NO', 'SE', 'CH']).flat())
const citizenships = fc
  .uniqueArray(country, { maxLength: 2 })
  .map((list): DraftMember[] => list.map((one) => ({ country: one })))
const relatives = fc.array(
  fc.record({ relative: pick, kinship: fc.constantFrom('SON', 'WIFE', 'BROTHER') }),
  { maxLength: 2 },
)
const fullName = fc.constantFrom('Ann Bee', 'Åse Ö', 'Zoë')
const email = fc.constantFrom(
  ...['ann', 'ANN', 'Ben', 'bob', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(
    (one) => `${one}@x.io`,
  ),
)
const required = fc.record({ fullName, email })
const wish: fc.Arbitrary<DraftWish> = fc.record(
  { fullName, email, placeOfBirth: fc.option(country), citizenships, relatives },
  { requiredKeys: [] },
)
const opKind = fc.constantFrom<Op['kind'][]>(
  'create',
  'create',
  'update',
  'update',
  'update',
  'birth',
  'birth',
  'add',
  'add',
  'remove',
  'replace',
  'replace',
  'delete',
)
const name = fc.constantFrom<ToMany[]>('citizenships', 'relatives')
const op: fc.Arbitrary<DraftOp> = fc.record({
  kind: opKind,
  isSame: fc.boolean(),
  pick,
  by: fc.constantFrom<By[]>('ref', 'href', 'data'),
  wish,
  required,
  country: fc.option(country),
  name,
  citizenships,
  relatives,
})
const fate = fc.constantFrom<Fate[]>('fine', 'lost before', 'lost after', 'lost after')
const fates: fc.Arbitrary<readonly Fate[]> = fc.oneof(
  { weight: 8, arbitrary: fc.constant([]) },
  { weight: 4, arbitrary: fc.array(fate, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<Fate[][]>(['failed before'], ['failed after']) },
)
const key = fc.option(fc.constantFrom('k1', 'k2', 'k3', 'k4'), { nil: undefined, freq: 2 })
const caller = fc.oneof(
  { weight: 5, arbitrary: fc.constant('owner') },
  { weight: 2, arbitrary: person },
)
const condition = fc.option(
  fc.constantFrom<Condition[]>('newest', 'newest', 'older', 'none', 'any'),
  {
    nil: undefined,
    freq: 2,
  },
)

/** What a sequence is made of. */
export const step: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('read' as const), caller: person, nth }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      caller,
      ops: op.map((one) => [one]),
      isTransaction: fc.constant(false),
      key,
      condition,
      fates,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      caller,
      ops: fc.array(op, { minLength: 1, maxLength: 4 }),
      isTransaction: fc.constant(true),
      key,
      condition: fc.constant(undefined),
      fates,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('again' as const),
      back: fc.constantFrom(0, 0, 1, 2, 3),
      fates,
    }),
  },
)
