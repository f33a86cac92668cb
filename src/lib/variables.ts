import * as z from 'zod/mini'

/** Makes the message for a wrong variable: the rule, and what the variable holds. */
const ruleMessage =
  (rule: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    `${rule}, ${input === undefined ? 'and is absent' : `not ${JSON.stringify(input)}`}`

/** A text variable that must follow a rule. The text of the rule begins with "must". */
export function text(rule: string, keeps: (value: string) => boolean) {
  return z.string({ error: ruleMessage(rule) }).check(z.refine(keeps, { error: ruleMessage(rule) }))
}

/** A variable that holds a whole number, or is absent. */
export const count = z.optional(
  text('must be a whole number from 1 to 999999999', (value) => /^[1-9]\d{0,8}$/.test(value)),
)

/** A variable that is true or false, in any case, or is absent. */
export const flag = z.optional(
  text('must be absent, true or false', (value) => /^(?:true|false)$/i.test(value)),
)

/** Does a variable say true? */
export function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true'
}

/** A variable that holds one of a few texts, or is absent. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  const rule = `must be absent or one of ${values.join(', ')}`
  return z.optional(z.enum(values, { error: ruleMessage(rule) }))
}

/**
 * Reads variables of the Worker. One that wrangler's configuration has as a number or a boolean is its text.
 *
 * @throws Error that names each wrong variable, what it holds and what is allowed
 */
export function readVariables<Schema extends z.ZodMiniObject>(schema: Schema, env: object) {
  const texts = Object.entries(env).map(([name, value]) => [
    name,
    typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
  ])
  const result = schema.safeParse(Object.fromEntries(texts))
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
    throw new Error(faults.join('; '))
  }
  return result.data
}
