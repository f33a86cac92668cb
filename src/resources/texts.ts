import * as z from 'zod'

/** Control characters, as a class of a pattern holds them: spelled so that every language reads the description alike. */
const controls = String.raw`\u0000-\u001f\u007f-\u009f`

/** No white space at the ends and no control characters. Of no characters at all another check tells. */
const plainText = new RegExp(`^(?:[^\\s${controls}](?:[^${controls}]*[^\\s${controls}])?)?$`)

/** Text that is stored as it is sent, of 1 to `most` characters, counted as code points (contract, section 6). */
export function textUpTo(most: number) {
  return z
    .string()
    .min(1)
    .refine((value) => [...value].length <= most, `must have at most ${most} characters`)
    .regex(plainText, 'must have no white space at its ends and no control characters')
    .meta({ maxLength: most })
}

/**
 * What the HTML standard takes for `input type=email` ("Valid e-mail address"), with at most 64 characters before the `@`
 * (RFC 5321, section 4.5.3.1.1).
 */
export const emailAddress =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
