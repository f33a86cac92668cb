import * as z from 'zod/mini'
// Not `z.core.$constructor`: a value of that namespace brings every language of Zod into the bundle.
import { $constructor, $ZodArray, $ZodObject, $ZodOptional } from 'zod/v4/core'
import { lazy } from '../lib/kept.ts'
import { type ErrorCode, FaultList, type Faults, listed, type Problem } from './errors.ts'
import { pointerOf } from './json.ts'

/** The value that a schema makes of an input, or the faults of the input. Nothing is thrown, so that faults can be collected. */
export type Verdict<Value> =
  | { readonly ok: true; readonly value: Value }
  | ({ readonly ok: false } & Faults)

/** A Zod schema of any kind. */
export type Schema<Output = unknown, Input = unknown> = z.core.$ZodType<Output, Input>

/** The value that a schema makes of a valid input. */
export type Valid<Of extends Schema> = z.core.output<Of>

/** The message of issues for which a schema declares none. */
const unsaid = 'Invalid input'

/** One thing that is wrong with an input, as Zod finds it. */
export type Issue = z.core.$ZodIssue

/** The error code and the detail that a schema declares for an issue itself. The detail has the form of {@link demand}. */
export interface IssueHint {
  readonly code: ErrorCode
  readonly detail: string
}

/** Validates an input by a schema. `tell` turns each issue into faults of the answer. */
export function validateWith<Value>(
  schema: Schema<Value>,
  input: unknown,
  tell: (issue: Issue, faults: FaultList) => void,
): Verdict<Value> {
  const result = parse(schema, input)
  if (result.success) {
    return { ok: true, value: result.data }
  }
  const faults = new FaultList()
  const { issues } = result.error
  const mistyped = new Set(
    issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('/')),
  )
  for (const issue of issues) {
    // Zod measures whatever has a length. Of a value of the wrong kind only that is told (contract, section 2).
    const isMeasured = issue.code === 'too_small' || issue.code === 'too_big'
    if (!isMeasured || !mistyped.has(issue.path.join('/'))) {
      tell(issue, faults)
    }
  }
  return refused(faults)
}

/** The verdict on an input with faults. */
export function refused({ problems, omitted }: Faults): Verdict<never> {
  return { ok: false, problems, omitted }
}

/** The verdict on an input with a single problem. */
export function refusedFor(problem: Problem): Verdict<never> {
  return refused({ problems: [problem], omitted: 0 })
}

/** The faults of all verdicts together. */
export function faultsOf(...verdicts: readonly Verdict<unknown>[]): FaultList {
  return new FaultList().join(...verdicts.filter((verdict) => !verdict.ok))
}

/**
 * The schema of an array of at most `most` items. Zod does not validate the items of an array that is too long. This schema
 * validates those up to the bound all the same, so that the answer tells both faults (contract, section 2).
 */
export function upTo<Item extends Schema>(
  most: number,
  item: Item,
  ...checks: readonly z.core.$ZodCheck<z.core.output<Item>[]>[]
): z.core.$ZodArray<Item> {
  const schema = new BoundedArray({
    type: 'array',
    element: item,
    most,
    checks: [z.maxLength(most), ...checks] as z.core.$ZodCheck<never>[],
  })
  return schema as z.core.$ZodArray<Item>
}

/** The kind of schema that {@link upTo} makes. It is a kind of its own, so that copies (`z.clone`) keep the bound. */
const BoundedArray = $constructor<
  z.core.$ZodArray<Schema>,
  z.core.$ZodArrayDef & { readonly most: number }
>('BoundedArray', (array, def) => {
  $ZodArray.init(array, def)
  const { parse } = array._zod
  array._zod.parse = (payload, context) => {
    const sent: unknown = payload.value
    if (Array.isArray(sent) && sent.length > def.most) {
      payload.issues.push({
        code: 'too_big',
        origin: 'array',
        maximum: def.most,
        inclusive: true,
        input: sent,
        inst: array,
      })
      payload.value = sent.slice(0, def.most)
    }
    return parse(payload, context)
  }
})

/**
 * The schema of a member that may be absent. It is made when the member is first sent, because a body has few of the members that it
 * may have, and making the schemas of all takes longer than judging it.
 */
export function deferred<Value>(make: () => Schema<Value>): Schema<Value | undefined> {
  const made = lazy(make)
  const member = new Deferred({
    type: 'optional',
    get innerType() {
      return made()
    },
  })
  return member as Schema<Value | undefined>
}

/** The kind of schema that {@link deferred} makes. Zod's own `optional` makes the schema to learn what an absent member becomes. */
const Deferred = $constructor<z.core.$ZodOptional>('Deferred', (member, def) => {
  $ZodOptional.init(member, def)
  const { _zod } = member
  const { parse } = _zod
  _zod.optin = 'optional'
  _zod.parse = (payload, context) =>
    payload.value === undefined ? payload : parse(payload, context)
})

/**
 * A check of an object or an array as a whole. It runs even where a member or an item is wrong, so that the answer tells both
 * faults (contract, section 2). It does not run on a value of another kind.
 *
 * @param error what the value must be, in the form of {@link demand}
 */
export function onWhole<Value>(
  holds: (value: Value) => boolean,
  error: string,
): z.core.$ZodCheck<Value> {
  const isOther = ({ code, path }: z.core.$ZodRawIssue) =>
    code === 'invalid_type' && (path?.length ?? 0) === 0
  return z.refine(holds, { error, when: ({ issues }) => !issues.some(isOther) })
}

/** Does the schema take the value? */
export function accepts(schema: Schema, value: unknown): boolean {
  return parse(schema, value).success
}

/** Is the schema an enumeration of words whose characters neither URLs nor JSON escape? */
export function isEnumeration(schema: Schema): boolean {
  const { def, values } = schema._zod
  return (
    def.type === 'enum' && [...(values ?? [])].every((value) => /^[\w.~-]+$/.test(String(value)))
  )
}

/** The parameters with which a refinement declares the code and the detail of its issue. */
export function hint(code: ErrorCode, detail: string): { params: IssueHint } {
  return { params: { code, detail } }
}

/** The code and the detail that a schema declared by {@link hint}; undefined where it declared none. */
export function hintOf(issue: Issue): IssueHint | undefined {
  return issue.code === 'custom' ? (issue.params as IssueHint | undefined) : undefined
}

/** The value that an issue is about. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(memberOf, input)
}

/** The JSON pointer of a path, cut at its nearest existing ancestor (contract, section 5). */
export function pointerTo(input: unknown, path: readonly PropertyKey[]): string {
  let value = input
  const missing = path.findIndex((name) => {
    value = memberOf(value, name)
    return value === undefined
  })
  return pointerOf(missing < 0 ? path : path.slice(0, missing))
}

function memberOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<PropertyKey, unknown>)[name]
    : undefined
}

/**
 * What the value must be, as the end of a sentence that begins with "must". The messages that schemas declare begin with
 * "must", too.
 */
export function demand(issue: Issue): string {
  switch (issue.code) {
    case 'too_big':
      return bound(issue.origin, 'at most', Number(issue.maximum))
    case 'too_small':
      return bound(issue.origin, 'at least', Number(issue.minimum))
    case 'invalid_type':
      return issue.message === unsaid
        ? `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}`
        : issue.message
    case 'invalid_value':
      return `must be one of: ${listed(issue.values)}`
    case 'invalid_format':
      return issue.message === unsaid ? `must have the format ${issue.format}` : issue.message
    default:
      return issue.message
  }
}

/** The kinds of JSON values, as sentences name them. */
const kinds: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

/** Parses an input. */
export function parse<Value>(
  schema: Schema<Value>,
  input: unknown,
): z.core.util.SafeParseResult<Value> {
  return z.safeParse(schema, input, { error: messageOf })
}

/**
 * What an issue says where its schema says nothing: which members an object takes that has another one. Zod's own messages
 * are not shown, and to spell one takes longer than to validateWith, so none is made.
 */
function messageOf({ code, inst }: z.core.$ZodRawIssue): string {
  return code === 'unrecognized_keys' && inst instanceof $ZodObject
    ? `Allowed: ${listed(Object.keys(inst._zod.def.shape))}`
    : unsaid
}

function bound(origin: string, least: 'at least' | 'at most', limit: number): string {
  const unit = { array: 'item', string: 'character' }[origin]
  return unit === undefined
    ? `must be ${least} ${limit}`
    : `must have ${least} ${limit} ${unit}${limit === 1 ? '' : 's'}`
}
