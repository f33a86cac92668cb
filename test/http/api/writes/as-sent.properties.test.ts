import fc from 'fast-check'
import { expect, it } from 'vitest'
import { withKnownFields } from '../../../support/fields.ts'
import {
  change,
  countries,
  relative,
  seen,
  send,
  uniqueEmail,
  type Writer,
  writer,
} from './writers.ts'

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

const relationships = {
  citizenships: fc.uniqueArray(fc.constantFrom('NO', 'SE', 'PA', 'CH', 'LS'), { maxLength: 5 }),
  placeOfBirth: fc.option(fc.constantFrom('NO', 'DK')),
  relatives: fc.uniqueArray(
    fc.tuple(fc.constantFrom('1', '2', '3'), fc.constantFrom('SON', 'WIFE', 'BROTHER')),
    { selector: ([id]) => id },
  ),
}

const some = fc.record(
  {
    attributes: fc.record(attributes, { requiredKeys: [], noNullPrototype: true }),
    relationships: fc.record(relationships, { requiredKeys: [], noNullPrototype: true }),
  },
  { noNullPrototype: true },
)

type Some = typeof some extends fc.Arbitrary<infer Value> ? Value : never

/** The drawn values as the data of a body. */
function saidOf({ attributes: { email, ...others }, relationships }: Some) {
  const { citizenships, placeOfBirth, relatives } = relationships
  const linkage = {
    ...(citizenships && { citizenships: { data: countries(...citizenships) } }),
    ...(placeOfBirth !== undefined && {
      placeOfBirth: {
        data: placeOfBirth === null ? null : { type: 'countries', id: placeOfBirth },
      },
    }),
    ...(relatives && { relatives: { data: relatives.map(([id, type]) => relative(id, type)) } }),
  }
  return { attributes: { ...others, ...(email && { email: email() }) }, relationships: linkage }
}

type Said = ReturnType<typeof saidOf>

/** What the owner is shown of a user, in the form of {@link saidOf}. */
async function shownOf(id: string, me: Writer) {
  const { attributes, relationships = {} } = withKnownFields(await seen(id, me))
  const linkage = Object.entries(relationships).map(([name, { data }]) => [name, { data }])
  return { attributes, relationships: Object.fromEntries(linkage) }
}

/** What must be shown after everything that was sent: no member without a value, and linkage in the order of ids. */
function expected(...said: readonly Said[]) {
  const attributes = Object.assign({}, ...said.map((one) => one.attributes))
  const sent = Object.assign({}, ...said.map((one) => one.relationships))
  const {
    citizenships = { data: [] },
    placeOfBirth = { data: null },
    relatives = { data: [] },
  } = sent
  const sorted = ({ data }: { data: readonly { id: string }[] }) => ({
    data: data.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  })
  return {
    attributes: Object.fromEntries(
      Object.entries(attributes).filter(
        ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
      ),
    ),
    relationships: {
      citizenships: sorted(citizenships),
      placeOfBirth,
      relatives: sorted(relatives),
    },
  }
}

it('What is stored is what was sent: POST and then PATCH of any part of a user, and GET shows it', async () => {
  const whole = fc.record(
    {
      attributes: fc.record(attributes, {
        requiredKeys: ['fullName', 'email'],
        noNullPrototype: true,
      }),
      relationships: fc.record(relationships, { requiredKeys: [], noNullPrototype: true }),
    },
    { noNullPrototype: true },
  )
  await fc.assert(
    fc.asyncProperty(whole, fc.array(some, { maxLength: 3 }), async (first, changes) => {
      const me = await writer()
      const said = saidOf(first)
      const made = await send('POST', '/users', me, { data: { type: 'users', ...said } })
      expect([made.status, made.text]).toEqual([201, expect.any(String)])
      const { id } = made.document.data
      expect(await shownOf(id, me)).toEqual(expected(said))

      const all = [said]
      for (const one of changes.map(saidOf)) {
        const { status, text } = await send('PATCH', `/users/${id}`, me, change(id, one))
        expect([status, text]).toEqual([204, ''])
        all.push(one)
        expect(await shownOf(id, me)).toEqual(expected(...all))
      }
    }),
    { numRuns: 30 },
  )
})
