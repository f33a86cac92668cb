import { describe, expect, it } from 'vitest'
import type { Document } from '../../../support/documents.ts'
import { withNamedFields } from '../../../support/fields.ts'
import {
  change,
  countries,
  insertUsers,
  newUser,
  relative,
  seen,
  send,
  somebody,
  userOf,
  writer,
} from '../../../support/people.ts'
import { database, mediaType, serviceUrl } from '../../../support/service.ts'
import { walk } from '../../../support/walk.ts'

/** A local part of so many characters that no other address has. */
const uniqueLocalPart = (length: number) => crypto.randomUUID().padEnd(length, 'a')

/** A domain of so many characters, 65 or more: labels of at most 63 with dots between them. */
function domainOf(length: number): string {
  const label = 'd'.repeat(63)
  return length <= 128 ? `${'e'.repeat(length - 64)}.${label}` : `${label}.${domainOf(length - 64)}`
}

/** Addresses that are so many bytes as JSON, 1,891 or more, and far fewer characters. */
function addressesOf(bytes: number) {
  const long = Array(7).fill({ city: 'å'.repeat(128) })
  const rest = bytes - Buffer.byteLength(JSON.stringify([...long, { city: '' }]))
  return [...long, { city: 'å'.repeat(rest / 2) + 'x'.repeat(rest % 2) }]
}

/** So many members of an object. */
const members = (count: number) => Array.from({ length: count }, (_, at) => `"${at}":0`).join()

/** An empty array within as many others as a body can hold. */
const deep = '['.repeat(2_900) + ']'.repeat(2_900)

describe('a bound is part of what an attribute may be, and what is sent by POST and by PATCH is stored', () => {
  it.each<[what: string, attributes: Readonly<Record<string, unknown>>]>([
    ['fullName of 1 character', { fullName: 'A' }],
    ['fullName of 128 characters', { fullName: 'x'.repeat(128) }],
    ['fullName of 128 characters, of two code units each', { fullName: '😀'.repeat(128) }],
    ['fullName with a joiner and a variation selector', { fullName: '👩\u200d❤\ufe0f' }],
    ['fullName with signs of JSON', { fullName: '"A\\" </script> \u2028 \u00a0 \u202e e\u0301' }],
    ['email of 254 characters', { email: `${uniqueLocalPart(64)}@${domainOf(189)}` }],
    ['email with a domain of one label', { email: `${uniqueLocalPart(40)}@localhost` }],
    [
      'email with dots and every other sign',
      { email: `.${uniqueLocalPart(36)}..!#$%&'*+/=?^_\`{|}~-@a-b.c--d.x` },
    ],
    ['creditCardNumber of 8 digits', { creditCardNumber: '12345678' }],
    ['creditCardNumber of 19 digits', { creditCardNumber: '1'.repeat(19) }],
    ['creditCardNumber with hyphens and spaces', { creditCardNumber: '1-2 3-4 5-6 7-8' }],
    ['20 addresses', { addresses: Array(20).fill({ city: 'Oslo' }) }],
    ['addresses of 2,048 bytes', { addresses: addressesOf(2048) }],
    ['city of 128 characters', { addresses: [{ city: 'å'.repeat(128) }] }],
    ['zip of 32 characters', { addresses: [{ zip: '0'.repeat(32) }] }],
    ['door code of 32 characters', { addresses: [{ doorCode: '#'.repeat(32) }] }],
  ])('for %s', async (_, attributes) => {
    const me = await writer()
    const { data } = newUser({ attributes })
    const made = await send('POST', '/users', me, { data })
    expect(made.status).toBe(201)
    expect(withNamedFields(made.document).data.attributes).toEqual(data.attributes)
    const { id } = made.document.data
    const other = newUser().data.attributes
    expect(
      (await send('PATCH', `/users/${id}`, me, change(id, { attributes: other }))).status,
    ).toBe(204)
    expect((await send('PATCH', `/users/${id}`, me, change(id, data))).status).toBe(204)
    expect((await seen(id, me)).attributes).toEqual(data.attributes)
  })

  it('for each relationshipType', async () => {
    const types = ['HUSBAND', 'WIFE', 'SON', 'DAUGHTER', 'MOTHER', 'FATHER', 'BROTHER']
    const me = await writer()
    const data = types.map((type, nth) => relative(String(nth + 1), type))
    const id = await userOf(me, { relationships: { relatives: { data } } })

    expect((await seen(id, me)).relationships?.relatives?.data).toEqual(data)
  })

  it('for 100 identifiers in one body, all of them different', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `kin-${n}`)
    const kin = ids.map((id) => ({ id, fullName: 'Kin', email: `${id}@kin.example` }))
    await insertUsers(database, kin)
    const me = await writer()
    const path = `/users/${await userOf(me)}/relationships/relatives`
    const members = async () =>
      (await walk(`/jsonapi${path}`, { token: me.token })).flatMap(({ document }) => document.data)
    for (const [method, type, left] of [
      ['POST', 'SON', ids],
      ['PATCH', 'WIFE', ids],
      ['DELETE', 'WIFE', []],
    ] as const) {
      const data = ids.map((id) => relative(id, type))
      expect([method, (await send(method, path, me, { data })).status]).toEqual([method, 204])
      expect(await members()).toEqual(left.toSorted().map((id) => relative(id, type)))
    }
  })
})

it('a body is read after a byte order mark, with the last of two members of one name, without @-members, and as deep as it may be', async () => {
  const { token } = await writer()
  const [first, last] = ['First', 'Last 😀'].map((name) => `"fullName":"${name}"`)
  const addresses = [{ '@id': '\0', city: '@Oslo' }]
  const user = JSON.stringify(newUser({ attributes: { fullName: 'Last 😀', addresses } }))
  const twice = user.replace(`${last}`, `${first},${last}`).replace('😀', '\\ud83d\\ude00')
  const body = `\ufeff{"meta":{"deep":${deep}},"@context":"\\ud800",${twice.slice(1)}`
  // What checks the body of each request of a test would not go as deep.
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': mediaType }
  const answer = await fetch(`${serviceUrl}/jsonapi/users`, { method: 'POST', headers, body })

  expect(answer.status).toBe(201)
  const { data } = (await answer.json()) as Document
  expect(data.attributes).toMatchObject({ fullName: 'Last 😀', addresses: [{ city: '@Oslo' }] })
  expect(data.attributes.addresses[0]).not.toHaveProperty('@id')
})

/** Values that an attribute cannot have, and what is wrong with each: its path in the attribute comes first. */
const badValues: Readonly<Record<string, readonly (readonly [what: string, value: unknown])[]>> = {
  fullName: [
    ['a number', 7],
    ['an empty list', []],
    ['empty', ''],
    ['blank', ' \t\n'],
    ['a blank of Braille', '\u2800'],
    ['of characters that nobody sees, with a space between', '\u2060\u00ad \ufe0f\u{e0020}'],
    ['with a space before it', ' Ann'],
    ['with a byte order mark before it', '\ufeffAnn'],
    ['with a line break in it', 'Ann\nBee'],
    ['with a control character of Latin-1', 'Ann\u0085Bee'],
    ['129 characters long, of two code units each', '😀'.repeat(129)],
    ['with NUL', 'Ann\0Bee'],
    ['with a lone surrogate', 'Ann \ud800'],
  ],
  email: [
    ['a number', 7],
    ['empty', ''],
    ['without @', 'ann.example.com'],
    ['without a local part', '@example.com'],
    ['with a line break', 'ann@example.com\nBcc: bob@example.com'],
    ['255 characters long', `a@${`${'b'.repeat(62)}.`.repeat(4)}c`],
    ['with 65 characters before the @', `${'a'.repeat(65)}@example.com`],
    ['with a label of 64 characters', `ann@${'a'.repeat(64)}.com`],
    ['with a hyphen at the end of a label', 'ann@example-.com'],
    ['with two dots in the domain', 'ann@example..com'],
    ['with letters beyond ASCII', 'åse@example.com'],
    ['with a literal address', 'ann@[127.0.0.1]'],
  ],
  creditCardNumber: [
    ['a number', 4111111111111111],
    ['empty', ''],
    ['of 7 digits', '1234567'],
    ['of 20 digits', '1'.repeat(20)],
    ['with letters', '4111 1111 1111 111x'],
    ['with two spaces together', '4111  1111 1111 1111'],
    ['with a space before it', ' 4111111111111111'],
    ['with a hyphen after it', '4111111111111111-'],
    ['in digits of another script', '٤١١١١١١١١١١١١١١١'],
    ['with a line break after it', '4111111111111111\n'],
  ],
  addresses: [
    ['an object', {}],
    ['a text that is longer than a list may be', 'x'.repeat(21)],
    ['21 of them', Array(21).fill({ city: 'Oslo' })],
    ['of 2,049 bytes', addressesOf(2049)],
    ['/0/city of 129 characters', [{ city: 'x'.repeat(129) }]],
    ['/0/city blank', [{ city: '\u2003 ' }]],
    ['/0/zip of 33 characters', [{ zip: 'x'.repeat(33) }]],
    ['/0/doorCode of 33 characters', [{ doorCode: 'x'.repeat(33) }]],
  ],
}

describe('a body that breaks the rules is refused', () => {
  it.each(Object.entries(badValues))('since %s has a wrong value', async (name, values) => {
    const me = await writer()
    for (const [what, value] of values) {
      const answer = await send('POST', '/users', me, newUser({ attributes: { [name]: value } }))
      const place = name + (/^\/\S+/.exec(what)?.[0] ?? '')
      const fault = `400 VALUE_INVALID_FORMAT pointer /data/attributes/${place}`
      expect([what, answer.status, answer.faults]).toEqual([what, 400, [fault]])
    }
  })

  it.each(['fullName', 'email', 'addresses'])(
    'since %s is null, in an update too',
    async (name) => {
      const attributes = { [name]: null }
      const fault = `400 VALUE_IS_ABSENT pointer /data/attributes/${name}`
      const me = await writer()
      const create = await send('POST', '/users', me, newUser({ attributes }))
      const update = await send('PATCH', `/users/${somebody}`, me, change(somebody, { attributes }))
      expect([create.faults, update.faults]).toEqual([[fault], [fault]])
    },
  )

  it.each<[what: string, body: string | Uint8Array]>([
    ['none', '{ "data": '],
    ['nothing', ''],
    ['nothing but white space', ' \n'],
    ['null', 'null'],
    ['no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
    ['a surrogate in UTF-8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
    ['an object with a byte order mark within it', '{\ufeff}'],
    ['an object behind brackets that nothing has opened', ']]]]{}'],
    ['a hundred thousand brackets', '['.repeat(100_000)],
    ['strings that end with a backslash', `{"a":${'"\\"'.repeat(10_000)}"\\`],
    ['strings that never end', `{"a":${'"\\'.repeat(20_000)}`],
  ])('since it is %s', async (_, body) => {
    const answer = await send('POST', '/users', await writer(), body)
    expect([answer.status, answer.faults]).toEqual([400, ['400 INVALID_PAYLOAD']])
  })

  it.each<[what: string, body: (over: number) => string]>([
    [
      '65,536 bytes, whatever stands in its texts',
      (over) => `{"a":"xxx${'é,[{'.repeat(13_105)}"}${' '.repeat(over)}`,
    ],
    // The one member that holds them counts, too.
    ['2,999 items', (over) => `{"a":[${Array(2_999 + over).fill(0)}]}`],
    ['1,499 empty items', (over) => `{"a":[${Array(1_499 + over).fill('[]')}]}`],
    ['1,499 items of one item', (over) => `{"a":[${Array(1_499 + over).fill('[0]')}]}`],
    ['2,999 members', (over) => `{"a":{${members(2_999 + over)}}}`],
  ])('since it has more than %s', async (_, body) => {
    const me = await writer()
    const fits = await send('POST', '/users', me, body(0))
    expect(fits.faults).not.toContain('400 INVALID_PAYLOAD')
    expect((await send('POST', '/users', me, body(1))).faults).toEqual(['400 INVALID_PAYLOAD'])
  })

  it.each<[what: string, attributes: string, place: string]>([
    ['its name is nested in 2,900 arrays', `"fullName":${deep}`, 'attributes/fullName'],
    ['its meta has a prototype', '"fullName":"A"},"meta":{"__proto__":{}', 'meta/__proto__'],
    ['a name in it has NUL', '"fullName":"A","x\\u0000":1', 'attributes/x\0'],
    ['a name in it has a lone surrogate', '"fullName":"A","\\udfff":1', 'attributes/\ufffd'],
    ['a text in its meta has NUL', '"fullName":"A"},"meta":{"a/b~c":"\\u0000"', 'meta/a~1b~0c'],
    [
      'a pointer would have over 256 characters',
      `"fullName":"A","${'x'.repeat(240)}":1`,
      'attributes',
    ],
  ])('since %s', async (_, attributes, place) => {
    const body = `{"data":{"type":"users","attributes":{"email":"a@b.example",${attributes}}}}`
    const answer = await send('POST', '/users', await writer(), body)
    const fault = `400 VALUE_INVALID_FORMAT pointer /data/${place}`
    expect([answer.status, answer.faults]).toEqual([400, [fault]])
  })
})

/** The body of a create, complete but for these members. */
const userWith = (members: object) => ({ data: { ...newUser().data, ...members } })
const links = '/data/relationships'
const linkage = (relationships: object) => userWith({ relationships })
const updateWith = (members: object) => ({ data: { type: 'users', ...members } })
/** Identifiers of two relationships, more together than a body may have. */
const many = {
  relatives: { data: Array.from({ length: 60 }, (_, nth) => relative(`kin-${nth}`, 'SON')) },
  citizenships: { data: Array(41).fill(countries('NO')[0]) },
}

it.each<[sent: string, body: object, ...faults: string[]]>([
  ['POST /users', {}, 'ABSENT '],
  ['POST /users', { data: null }, 'ABSENT /data'],
  ['POST /users', { data: [] }, 'FORMAT /data'],
  ['POST /users', { data: {} }, ...Array(3).fill('ABSENT /data')],
  ['POST /users', userWith({ 'y/z': 2 }), 'FORMAT /data/y~1z'],
  ['POST /users', userWith({ attributes: undefined }), ...Array(2).fill('ABSENT /data')],
  ['POST /users', userWith({ attributes: null }), ...Array(2).fill('ABSENT /data/attributes')],
  ['POST /users', userWith({ attributes: {} }), ...Array(2).fill('ABSENT /data/attributes')],
  ['POST /users', userWith({ relationships: null }), `ABSENT ${links}`],
  ['POST /users', linkage({ placeOfBirth: null }), `ABSENT ${links}/placeOfBirth`],
  ['POST /users', linkage({ relatives: { data: null } }), `ABSENT ${links}/relatives/data`],
  ['POST /users', linkage(many), `FORMAT ${links}`],
  ['PATCH /users/1', updateWith({}), 'ABSENT /data'],
  ['PATCH /users/1', updateWith({ id: '1', attributes: null }), 'ABSENT /data/attributes'],
  [
    'PATCH /users/1',
    updateWith({ type: 'x', id: '2' }),
    'CONFLICT /data/type',
    'CONFLICT /data/id',
  ],
  ['PATCH /users/1/relationships/placeOfBirth', { data: [] }, 'FORMAT /data'],
  ['PATCH /users/1/relationships/relatives', { data: null }, 'ABSENT /data'],
])('%s of %j has the faults %j', async (sent, body, ...expected) => {
  const [method = '', path = ''] = sent.split(' ')
  const { faults } = await send(method, path, await writer(), body)
  const told = faults.map((fault) =>
    fault.replace(/^\d+ (?:VALUE_(?:IS|INVALID)_)?(\w+) pointer/, '$1'),
  )
  expect(told.toSorted()).toEqual(expected.toSorted())
})

it('meta of an identifier may have further members, which have no effect', async () => {
  const me = await writer()
  const path = `/users/${await userOf(me)}/relationships`
  const meta = { relationshipType: 'SON', since: 2001 }
  const added = await send('POST', `${path}/relatives`, me, {
    data: [{ type: 'users', id: '1', meta }],
  })
  const placed = await send('PATCH', `${path}/placeOfBirth`, me, {
    data: { ...countries('NO')[0], meta: { since: 2001 } },
  })

  expect([added.status, placed.status]).toEqual([204, 204])
  const { document } = await send('GET', `${path}/relatives`, me)
  expect(document.data).toEqual([relative('1', 'SON')])
  // A member is removed with any meta, and without.
  const data = [{ type: 'users', id: '1' }, ...['SON', 'WIFE'].map((as) => relative('1', as))]
  expect((await send('DELETE', `${path}/relatives`, me, { data })).status).toBe(204)
})

it('null is no id of a create; lid, meta and links have no effect', async () => {
  const { data } = newUser()
  const placeOfBirth = { data: { ...countries('NO')[0], lid: 'l', meta: {} }, meta: {}, links: {} }
  const further = {
    id: null,
    lid: 'x',
    meta: { any: [1] },
    links: {},
    relationships: { placeOfBirth },
  }
  const { status, document } = await send('POST', '/users', await writer(), {
    data: { ...data, ...further },
  })

  expect(status).toBe(201)
  expect(withNamedFields(document).data.attributes).toEqual(data.attributes)
})
