import * as z from 'zod/mini'

/** The schema of a text that no request sends. */
export function assignedText(about: z.core.GlobalMeta) {
  return z.string().check(z.meta(about))
}

/** Control characters, for a character class. They are spelled so that patterns of the description work in every language. */
const controls = String.raw`\u0000-\u001f\u007f-\u009f`

/** Text without white space at its ends and without control characters. It admits the empty text, which another check refuses. */
const plainText = new RegExp(`^(?:[^\\s${controls}](?:[^${controls}]*[^\\s${controls}])?)?$`)

/**
 * A character that can be seen. Most of those that cannot have a property of Unicode; the others are the blank of Braille, marks of
 * annotations and a note without a head. It is no pattern of the description, because not every language knows such properties.
 */
const visible = /[^\s\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{1d159}]/u

/**
 * The schema of a text of 1 to `max` characters, counted as code points, that is stored as it is sent.
 *
 * @param about for the interface description. A parameter, because each further call of `.meta` copies the schema
 */
export function textUpTo(max: number, about: z.core.GlobalMeta) {
  return z.string().check(
    z.minLength(1, { abort: true }),
    z.refine((value) => [...value].length <= max, `must have at most ${max} characters`),
    z.regex(plainText, {
      error: 'must have no white space at its ends and no control characters',
      abort: true,
    }),
    z.refine((value) => visible.test(value), 'must have a visible character'),
    z.meta({ maxLength: max, ...about }),
  )
}

/**
 * The pattern of an e-mail address: what the HTML standard accepts for `input type=email` ("Valid e-mail address"), with at most 64
 * characters before the `@` (RFC 5321, section 4.5.3.1.1).
 */
export const emailAddress =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
