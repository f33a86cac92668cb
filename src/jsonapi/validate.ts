import * as z from 'zod/mini'
import type { ErrorCode, Problem } from './errors.ts'
import { pointerToken } from './json.ts'

/** The value of a schema, or what is wrong with the input. Nothing is thrown, so that all can be collected. */
export type Verdict<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** A Zod schema of any kind. */
export type Schema<Output = unknown, Input = unknown> = z.core.$ZodType<Output, Input>

/** What a schema has against an input. */
export type Issue = z.core.$ZodIssue

/** A code in place of the one that the kind of issue has, said by the schema itself. */
export interface IssueHint {
  readonly code: ErrorCode
  readonly detail: string
}

/** Judges an input by a schema; `toProblems` turns each issue into what the caller is told. */
export function check<Value>(
  schema: Schema<Value>,
  input: unknown,
  toProblems: (issue: Issue, input: unknown) => readonly Problem[],
): Verdict<Value> {
  const result = z.safeParse(schema, input)
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, problems: result.error.issues.flatMap((issue) => toProblems(issue, input)) }
}

/** What makes the issue of a refinement carry its own code and detail. */
export function hint(code: ErrorCode, detail: string): { params: IssueHint } {
  return { params: { code, detail } }
}

/** What a schema said itself through {@link hint}. */
export function hintOf(issue: Issue): IssueHint | undefined {
  return issue.code === 'custom' ? (issue.params as IssueHint | undefined) : undefined
}

/** The value that an issue is about. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<PropertyKey, unknown>)[name]
        : undefined,
    input,
  )
}

/** The JSON pointer of a path, cut at its nearest existing ancestor (contract, section 5). */
export function pointerTo(input: unknown, path: readonly PropertyKey[]): string {
  let depth = path.length
  while (depth > 0 && valueAt(input, path.slice(0, depth)) === undefined) {
    depth--
  }
  return path.slice(0, depth).map(pointerToken).join('')
}

/** What an issue asks for, in words. */
export function demand(issue: Issue): string {
  switch (issue.code) {
    case 'too_big':
      return `at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'too_small':
      return `at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'invalid_type':
      return `must be of type ${issue.expected}`
    case 'invalid_format':
      return issue.message === unsaid ? `must have the format ${issue.format}` : issue.message
    default:
      return issue.message
  }
}

/** What Zod says where a schema says nothing itself. */
const unsaid = 'Invalid input'

function unitOf(origin: string): string {
  return origin === 'array' ? ' items' : origin === 'string' ? ' characters' : ''
}

/** A value as an error may repeat it: short, on one line. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  const short = text.length > 64 ? `${text.slice(0, 64)}…` : text
  return JSON.stringify(short.toWellFormed())
}

/** Allowed values as a detail lists them. */
export function listed(values: readonly unknown[]): string {
  return values.length > 0 ? values.join(', ') : 'none'
}
