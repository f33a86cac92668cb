import * as z from 'zod/mini'
import { type ErrorCode, FaultList, type Faults } from './errors.ts'
import { pointerOf } from './json.ts'

/** The value of a schema, or what is wrong with the input. Nothing is thrown, so that all can be collected. */
export type Verdict<Value> =
  | { readonly ok: true; readonly value: Value }
  | ({ readonly ok: false } & Faults)

/** A Zod schema of any kind. */
export type Schema<Output = unknown, Input = unknown> = z.core.$ZodType<Output, Input>

/** What a schema makes of an input that it takes. */
export type Valid<Of extends Schema> = z.core.output<Of>

/** What Zod says where a schema says nothing itself. */
const unsaid = 'Invalid input'

/** What a schema has against an input. */
export type Issue = z.core.$ZodIssue

// Zod itself says nothing: what is told of an issue is written here, and by schemas.
z.config({ localeError: () => unsaid })

/** A code in place of the one that the kind of issue has, said by the schema itself. */
export interface IssueHint {
  readonly code: ErrorCode
  readonly detail: string
}

/** Judges an input by a schema; `tell` adds to the faults what the caller is told of each issue. */
export function check<Value>(
  schema: Schema<Value>,
  input: unknown,
  tell: (issue: Issue, faults: FaultList) => void,
): Verdict<Value> {
  const result = z.safeParse(schema, input)
  if (result.success) {
    return { ok: true, value: result.data }
  }
  const faults = new FaultList()
  for (const issue of result.error.issues) {
    tell(issue, faults)
  }
  return refused(faults)
}

/** The verdict on what has faults. */
export function refused({ problems, untold }: Faults): Verdict<never> {
  return { ok: false, problems, untold }
}

/** The faults of verdicts, together. */
export function faultsOf(...verdicts: readonly Verdict<unknown>[]): FaultList {
  return new FaultList().join(...verdicts.filter((verdict) => !verdict.ok))
}

/**
 * An array of at most so many items. Its length is looked at first: items past the bound are not judged
 * (contract, section 2).
 */
export function upTo<Item extends z.core.SomeType>(
  most: number,
  item: Item,
  ...checks: readonly z.core.$ZodCheck<z.core.output<Item>[]>[]
) {
  const schema = z.array(item).check(z.maxLength(most), ...checks)
  const { parse } = schema._zod
  schema._zod.parse = (payload, context) => {
    const sent: unknown = payload.value
    if (Array.isArray(sent) && sent.length > most) {
      payload.issues.push({
        code: 'too_big',
        origin: 'array',
        maximum: most,
        inclusive: true,
        input: sent,
        inst: schema,
      })
      payload.value = sent.slice(0, most)
    }
    return parse(payload, context)
  }
  return schema
}

/** Does the schema take a value? */
export function takes(schema: Schema, value: unknown): boolean {
  return z.safeParse(schema, value).success
}

/** Does the schema take nothing but words of the characters that neither URLs nor JSON escape? */
export function isEnumeration(schema: Schema): boolean {
  const { def, values } = schema._zod
  return (
    def.type === 'enum' && [...(values ?? [])].every((value) => /^[\w.~-]+$/.test(String(value)))
  )
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

function unitOf(origin: string): string {
  return origin === 'array' ? ' items' : origin === 'string' ? ' characters' : ''
}

/** A value as an error may repeat it: short, on one line. */
export function quote(value: unknown): string {
  return JSON.stringify(
    brief(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')),
  )
}

/** The beginning of a text that may be of any length: at most 64 characters, well-formed. */
export function brief(text: string): string {
  return (text.length > 64 ? `${text.slice(0, 64)}…` : text).toWellFormed()
}

/** Allowed values as a detail lists them. */
export function listed(values: readonly unknown[]): string {
  return values.length > 0 ? values.join(', ') : 'none'
}
