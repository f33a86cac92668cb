import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isJsonApi, quality } from '../../../src/http/negotiate.ts'
import { atomicExtension as atomic } from '../../../src/jsonapi/atomic/extension.ts'
import { mediaType as type } from '../../../src/jsonapi/document.ts'

/** Splits at a separator that stands outside quotes. */
function split(text: string, separator: string): string[] {
  const parts = ['']
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (isQuoted && character === '\\') {
      parts[parts.length - 1] += character + text.charAt(++index)
    } else if (character === separator && !isQuoted) {
      parts.push('')
    } else {
      isQuoted = character === '"' ? !isQuoted : isQuoted
      parts[parts.length - 1] += character
    }
  }
  return parts.map((part) => part.trim())
}

interface Plain {
  readonly name: string
  readonly pairs: readonly (readonly [key: string, value: string])[]
}

/** A media type, by a plain reading of it. */
function plain(text: string): Plain {
  const [name = '', ...parameters] = split(text, ';')
  const pairs = parameters
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const [key = '', ...value] = parameter.split('=')
      return [key.trim().toLowerCase(), value.join('=').trim()] as const
    })
  return { name: name.toLowerCase(), pairs }
}

/** Are the parameters among these, and do they name exactly the extension? */
function isTaken({ pairs }: Plain, keys: readonly string[], extension: string | undefined) {
  const uris = pairs
    .filter(([key]) => key === 'ext')
    .map(([, value]) => (value.startsWith('"') ? value.replace(/^"|"$/g, '') : value))
    .flatMap((value) => value.replace(/\\(.)/g, '$1').split(' '))
    .filter((uri) => uri !== '')
  return (
    pairs.every(([key]) => keys.includes(key)) &&
    uris.every((uri) => uri === extension) &&
    (extension === undefined || uris.length > 0)
  )
}

/** The weight of JSON:API in an `Accept` header, by a plain reading of it. */
function plainWeight(header: string, extension: string | undefined): number {
  const ranges = split(header, ',').map(plain)
  for (const wanted of [type, 'application/*', '*/*']) {
    const weights = ranges
      .filter(
        (range) =>
          range.name === wanted &&
          (wanted !== type || isTaken(range, ['q', 'profile', 'ext'], extension)),
      )
      .map(({ pairs }) => pairs.find(([key]) => key === 'q')?.[1] ?? '')
      .map((q) => (/^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q) : 1))
    if (weights.length > 0) {
      return Math.max(...weights)
    }
  }
  return 0
}

test('Whatever is in Accept and Content-Type, a plain reading of them says the same (contract, sections 6 and 13)', () => {
  const ranges = [type, type.toUpperCase(), 'application/*', '*/*', 'text/html']
  const signs = [...'a*,,;;= \t"\\', '""', '" "']
  const parameters = ['q', 'Q', '=0', '=0.5', '=1', '=1.5', 'ext', 'profile', 'x', atomic]
  const wholes = [
    ...[';q=0', ';q=0.25', `,${type}`, ',*/*', ';ext=""', `;ext="${atomic}"`],
    ...[';ext=x', ';profile="a,b"', ';a=","'],
  ]
  const headers = fc
    .array(fc.constantFrom(...ranges, ...signs, ...parameters, ...wholes), { maxLength: 14 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      headers,
      fc.constantFrom(undefined, atomic),
      fc.boolean(),
      (text, extension, begins) => {
        const header = begins ? type + text : text
        // A header without ranges takes everything.
        if (header.trim() !== '') {
          expect(quality(header, type, extension)).toBe(plainWeight(header, extension))
        }
        const sole = plain(header)
        const isSole = sole.name === type && isTaken(sole, ['profile', 'ext'], extension)
        expect(isJsonApi(header, extension)).toBe(isSole)
      },
    ),
    { numRuns: 20_000 },
  )
})
