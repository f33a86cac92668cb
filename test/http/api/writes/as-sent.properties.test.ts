import fc from 'fast-check'
import { expect, it } from 'vitest'
import { uniqueEmail } from '../../../support/people.ts'
import { change, seen, send, writer } from './writers.ts'

/** Characters of many scripts, none of them a control character. */
const character = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.constantFrom('"', '\\', '\u2028', '\u200b', 'e\u0301', '\u202e'),
  )
  .filter((text) => !/\p{Cc}/u.test(text))

/** A text of 1 to so many characters with no white space at its ends, one of which can be seen. */
const text = (most: number) =>
  fc
    .array(fc.oneof({ weight: 4, arbitrary: character }, fc.constantFrom(' ', '\u00a0')), {
      minLength: 1,
      maxLength: most,
    })
    .map((parts) => [...parts.join('').trim()].slice(0, most).join('').trim())
    .filter((value) =>
      /[^\s\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{1d159}]/u.test(value),
    )

/** An e-mail address of nobody else, with signs that the HTML standard allows. */
const email = fc
  .tuple(
    fc.stringMatching(/^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,20}$/),
    fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,10}[a-zA-Z0-9])?$/),
    fc.constantFrom('', '.x', '.co.uk'),
  )
  .map(
    ([local, label, end]) =>
      () =>
        `${local}${uniqueEmail().slice(4, 40)}@${label}${end}`,
  )

const address = fc
  .record(
    { city: text(20), zip: text(10), doorCode: text(10) },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((members) => Object.keys(members).length > 0)

const attributes = {
  fullName: text(128),
  email,
  addresses: fc.array(address, { maxLength: 4 }),
  creditCardNumber: fc.option(fc.stringMatching(/^\d([ -]?\d){7,18}$/)),
}

const some = fc.record(attributes, { requiredKeys: [], noNullPrototype: true })

/** Drawn attributes as a body says them. */
const saidOf = ({
  email,
  ...others
}: typeof some extends fc.Arbitrary<infer Value> ? Value : never) => ({
  ...others,
  ...(email && { email: email() }),
})

/** What must be shown after everything that was sent: no member without a value. */
const expected = (...said: readonly object[]) =>
  Object.fromEntries(
    Object.entries(Object.assign({}, ...said)).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  )

it('What is stored is what was sent: POST and then PATCH of any attributes of a user, and GET shows it', async () => {
  const whole = fc.record(attributes, {
    requiredKeys: ['fullName', 'email'],
    noNullPrototype: true,
  })
  await fc.assert(
    fc.asyncProperty(whole, fc.array(some, { maxLength: 3 }), async (first, changes) => {
      const me = await writer()
      const all = [saidOf(first)]
      const made = await send('POST', '/users', me, { data: { type: 'users', attributes: all[0] } })
      expect([made.status, made.text]).toEqual([201, expect.any(String)])
      const { id } = made.document.data
      expect((await seen(id, me)).attributes).toEqual(expected(...all))

      for (const attributes of changes.map(saidOf)) {
        const { status, text } = await send('PATCH', `/users/${id}`, me, change(id, { attributes }))
        expect([status, text]).toEqual([204, ''])
        all.push(attributes)
        expect((await seen(id, me)).attributes).toEqual(expected(...all))
      }
    }),
    { numRuns: 30 },
  )
})
