import fc, { type StringConstraints } from 'fast-check'

/** The surrogates, which are no characters, stand between the others. */
const [firstSurrogate, surrogates] = [0xd800, 0x800]

/**
 * Any character. The unit `binary` of fast-check is the same, and takes a second or more to be made in each process. The way back
 * from a character to its number lets fast-check try texts that are known for trouble, such as `__proto__`.
 */
const character = fc.integer({ min: 0, max: 0x10ffff - surrogates }).map(
  (number) => String.fromCodePoint(number < firstSurrogate ? number : number + surrogates),
  (text) => {
    const code = String(text).codePointAt(0) ?? 0
    return code < firstSurrogate ? code : code - surrogates
  },
)

/** Texts of any characters, NUL among them. */
export const anyText = (constraints: Omit<StringConstraints, 'unit'> = {}) =>
  fc.string({ ...constraints, unit: character })
