import * as z from 'zod/mini'
import { copyOf, pointerOf } from './json.ts'
import { enumerate } from './problems.ts'

/** A Zod schema of any kind. */
export type Schema<Output = unknown, Input = unknown> = z.core.$ZodType<Output, Input>

/** The value that a schema makes of a valid input. */
export type Valid<Of extends Schema> = z.core.output<Of>

/** One thing that is wrong with an input, as Zod finds it. Its message says what the value must be, in words that begin with "must". */
export type Issue = z.core.$ZodIssue

/** Returns the value that a schema makes of an input. For an invalid one it reports each issue, and returns undefined. */
export function validateWith<Value>(
  schema: Schema<Value>,
  input: unknown,
  report: (issue: Issue) => void,
): Value | undefined {
  const result = parse(schema, input)
  if (result.success) {
    return result.data
  }
  for (const issue of issuesOf(schema, input, result.error.issues)) {
    report(issue)
  }
  return undefined
}

/**
 * The issues to report. A value of the wrong kind can also be too long or too short for Zod. Only the wrong kind is reported. And Zod
 * does not look into a list that is too long: a copy of the input is cut at the bound, and the issues of the items before it are added.
 */
function issuesOf(schema: Schema, input: unknown, found: readonly Issue[]): readonly Issue[] {
  const issues = found.filter(({ code, path }, index) => {
    const before = found[index - 1]
    const isSize = code === 'too_small' || code === 'too_big'
    return !(isSize && before?.code === 'invalid_type' && before.path.join() === path.join())
  })
  const long = issues.filter(isTooLong)
  if (long.length === 0) {
    return issues
  }
  const cut = copyOf(input, Math.max(...long.map(({ path }) => path.length + 1)))
  for (const { path, maximum } of long) {
    Object.assign(valueAt(cut, path) as unknown[], { length: Number(maximum) })
  }
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

/**
 * A check of an object or an array as a whole. It runs even if a member or an item is wrong, so that both faults are reported. It
 * does not run on a value of another kind.
 *
 * @param error what the value must be, in words that begin with "must"
 */
export function onWhole<Value>(
  holds: (value: Value) => boolean,
  error: string,
): z.core.$ZodCheck<Value> {
  const isOther = ({ code, path }: z.core.$ZodRawIssue) =>
    code === 'invalid_type' && (path?.length ?? 0) === 0
  return z.refine(holds, { error, when: ({ issues }) => !issues.some(isOther) })
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

/** Parses an input. */
export function parse<Value>(schema: Schema<Value>, input: unknown) {
  return z.safeParse(schema, input, { error: demand })
}

/** What a value must be, for an issue to which its schema gives no message. */
function demand(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'too_big':
      return boundText(issue.origin, 'at most', Number(issue.maximum))
    case 'too_small':
      return boundText(issue.origin, 'at least', Number(issue.minimum))
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}`
    case 'invalid_value':
      return `must be one of: ${enumerate(issue.values)}`
    case 'invalid_format':
      return `must have the format ${issue.format}`
    case 'unrecognized_keys': {
      const { shape } = (issue.inst as z.core.$ZodObject)._zod.def
      return `Allowed: ${enumerate(Object.keys(shape))}`
    }
    default:
      return 'must be valid'
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

function boundText(origin: string, least: 'at least' | 'at most', limit: number): string {
  const unit = { array: 'item', string: 'character' }[origin]
  return unit === undefined
    ? `must be ${least} ${limit}`
    : `must have ${least} ${limit} ${unit}${limit === 1 ? '' : 's'}`
}
