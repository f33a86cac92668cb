import * as z from 'zod/mini'
import { pointerOf } from './json.ts'
import { type ErrorCode, FaultList, type Faults, listed, type Problem } from './problems.ts'

/** The value that a schema makes of an input, or the faults of the input. Nothing is thrown, so that faults can be collected. */
export type Verdict<Value> =
  | { readonly ok: true; readonly value: Value }
  | ({ readonly ok: false } & Faults)

/** A Zod schema of any kind. */
export type Schema<Output = unknown, Input = unknown> = z.core.$ZodType<Output, Input>

/** The value that a schema makes of a valid input. */
export type Valid<Of extends Schema> = z.core.output<Of>

/** The message of issues for which a schema declares none. */
const noMessage = 'Invalid input'

/** One thing that is wrong with an input, as Zod finds it. */
export type Issue = z.core.$ZodIssue

/** The error code and the detail that a schema gives to its issues. The detail has the form of {@link demand}. */
export interface IssueHint {
  readonly code: ErrorCode
  readonly detail: string
}

/** Validates an input by a schema. `report` turns each issue into faults of the answer. */
export function validateWith<Value>(
  schema: Schema<Value>,
  input: unknown,
  report: (issue: Issue, faults: FaultList) => void,
): Verdict<Value> {
  const result = parse(schema, input)
  if (result.success) {
    return { ok: true, value: result.data }
  }
  const faults = new FaultList()
  for (const issue of issuesOf(schema, input, result.error.issues)) {
    report(issue, faults)
  }
  return refused(faults)
}

/**
 * The issues to report. A value of the wrong kind can also be too long or too short for Zod. Only the wrong kind is reported. And Zod
 * does not look into a list that is too long: the issues of its items up to the bound are added.
 */
function issuesOf(schema: Schema, input: unknown, found: readonly Issue[]): readonly Issue[] {
  const mistyped = new Set(
    found.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('/')),
  )
  const issues = found.filter(
    ({ code, path }) =>
      (code !== 'too_small' && code !== 'too_big') || !mistyped.has(path.join('/')),
  )
  const long = issues.filter(isTooLong)
  if (long.length === 0) {
    return issues
  }
  const cut = long.reduce((whole, { path, maximum }) => cutAt(whole, path, Number(maximum)), input)
  const further = issuesOf(schema, cut, parse(schema, cut).error?.issues ?? [])
  return issues.flatMap((issue) =>
    isTooLong(issue)
      ? [issue, ...further.filter(({ path }) => issue.path.every((name, at) => name === path[at]))]
      : [issue],
  )
}

function isTooLong(issue: Issue): issue is Extract<Issue, { readonly code: 'too_big' }> {
  return issue.code === 'too_big' && issue.origin === 'array'
}

/** A copy of a value in which the list at a path has no more than `max` items. */
function cutAt(value: unknown, [name, ...below]: readonly PropertyKey[], max: number): unknown {
  if (Array.isArray(value)) {
    return name === undefined
      ? value.slice(0, max)
      : value.with(Number(name), cutAt(value[Number(name)], below, max))
  }
  return { ...(value as object), [String(name)]: cutAt(valueAt(value, [String(name)]), below, max) }
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
 * A check of an object or an array as a whole. It runs even where a member or an item is wrong, so that both faults are reported, but
 * not on a value of another kind.
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

/** Is the value valid by the schema? */
export function accepts(schema: Schema, value: unknown): boolean {
  return parse(schema, value).success
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

/** The JSON pointer of a path, or that of the nearest ancestor that exists. */
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
      return issue.message === noMessage
        ? `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}`
        : issue.message
    case 'invalid_value':
      return `must be one of: ${listed(issue.values)}`
    case 'invalid_format':
      return issue.message === noMessage ? `must have the format ${issue.format}` : issue.message
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

/** The message of an issue for which its schema declares none. Zod's own messages are not shown, so that none is made. */
function messageOf({ code, inst }: z.core.$ZodRawIssue): string {
  return code === 'unrecognized_keys'
    ? `Allowed: ${listed(Object.keys((inst as z.core.$ZodObject)._zod.def.shape))}`
    : noMessage
}

function bound(origin: string, least: 'at least' | 'at most', limit: number): string {
  const unit = { array: 'item', string: 'character' }[origin]
  return unit === undefined
    ? `must be ${least} ${limit}`
    : `must have ${least} ${limit} ${unit}${limit === 1 ? '' : 's'}`
}
