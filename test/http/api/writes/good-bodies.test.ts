import { describe, expect, it } from 'vitest'
import { mediaType, request } from '../../../support/service.ts'
import { ofDepth, ofLength } from './hostile-bodies.ts'
import {
  addressesOf,
  change,
  countries,
  linkage,
  newUser,
  relative,
  seen,
  send,
  uniqueEmail,
  userOf,
  type Wishes,
  writer,
} from './writers.ts'

type NewUser = ReturnType<typeof newUser>

describe('what JSON:API allows beside the data has no effect (contract, section 6)', () => {
  it.each<[what: string, decorate: (body: NewUser) => object]>([
    ['lid', ({ data }) => ({ data: { ...data, lid: 'local-1' } })],
    ['meta of the resource', ({ data }) => ({ data: { ...data, meta: { fullName: 'No' } } })],
    ['links of the resource', ({ data }) => ({ data: { ...data, links: { self: '/x' } } })],
    ['relationships without any', ({ data }) => ({ data: { ...data, relationships: {} } })],
    ['jsonapi', (body) => ({ jsonapi: { version: '1.0', ext: ['https://x.example'] }, ...body })],
    ['meta', (body) => ({ ...body, meta: { anything: [1, null, { a: true }] } })],
    ['links', (body) => ({ ...body, links: { self: '/jsonapi/users/1' } })],
    ['included', (body) => ({ ...body, included: [{ type: 'countries', id: 'XX' }] })],
    ['@-members beside data', (body) => ({ '@context': 'https://x.example', ...body })],
    ['@-members of the resource', ({ data }) => ({ data: { '@id': 7, ...data } })],
    [
      '@-members of the attributes',
      ({ data }) => ({ data: { ...data, attributes: { ...data.attributes, '@type': {} } } }),
    ],
    [
      '@-members of the relationships',
      ({ data }) => ({ data: { ...data, relationships: { '@type': 'x' } } }),
    ],
  ])('in a create: %s', async (_, decorate) => {
    const me = await writer()
    const body = newUser()
    const answer = await send('POST', '/users', me, decorate(body))

    expect(answer.status).toBe(201)
    const { attributes, relationships } = answer.document.data
    expect(attributes).toEqual(body.data.attributes)
    expect(relationships).toMatchObject({
      citizenships: { data: [] },
      placeOfBirth: { data: null },
      relatives: { data: [] },
    })
  })

  it('in linkage: lid, links, @-members and meta of the relationship', async () => {
    const me = await writer()
    const decorated = { type: 'countries', id: 'NO', lid: 'x', meta: { '@a': 1 }, '@id': 'y' }
    const id = await userOf(me, {
      relationships: {
        citizenships: { data: [decorated], links: { self: '/x' }, meta: { a: 1 }, '@type': 1 },
        placeOfBirth: { data: decorated },
        relatives: { data: [{ ...relative('1', 'SON'), '@id': 'z', lid: 'l' }] },
      },
    })

    expect(await linkage(id, 'citizenships', me)).toEqual(countries('NO'))
    expect(await linkage(id, 'placeOfBirth', me)).toEqual({ type: 'countries', id: 'NO' })
    expect(await linkage(id, 'relatives', me)).toEqual([relative('1', 'SON')])

    const body = { data: [decorated], meta: {}, jsonapi: {}, links: {}, included: [], '@a': 1 }
    const path = `/users/${id}/relationships/citizenships`
    expect((await send('PATCH', path, me, body)).status).toBe(204)
    expect(await linkage(id, 'citizenships', me)).toEqual(countries('NO'))
  })

  it.each<[what: string, members: Wishes]>([
    ['no attributes and no relationships', {}],
    ['attributes without any', { attributes: {} }],
    ['relationships without any', { relationships: {} }],
    ['both without any', { attributes: {}, relationships: {} }],
  ])('in an update with %s', async (_, members) => {
    const me = await writer()
    const id = await userOf(me, { relationships: { citizenships: { data: countries('NO') } } })
    const before = await seen(id, me)

    expect((await send('PATCH', `/users/${id}`, me, change(id, members))).status).toBe(204)
    expect(await seen(id, me)).toEqual(before)
  })
})

/** A local part of so many characters that no other address has. */
function uniqueLocalPart(length: number): string {
  return crypto.randomUUID().padEnd(length, 'a')
}

/** A domain of so many characters, 65 or more: labels of at most 63 with dots between them. */
function domainOf(length: number): string {
  const label = 'd'.repeat(63)
  return length <= 128 ? `${'e'.repeat(length - 64)}.${label}` : `${label}.${domainOf(length - 64)}`
}

describe('a bound is part of what it allows (contract, section 6)', () => {
  it.each<[what: string, attributes: () => object]>([
    ['fullName of 1 character', () => ({ fullName: 'A' })],
    ['fullName of 128 characters', () => ({ fullName: 'x'.repeat(128) })],
    ['fullName of 128 characters, of two code units each', () => ({ fullName: '😀'.repeat(128) })],
    ['email of 254 characters', () => ({ email: `${uniqueLocalPart(64)}@${domainOf(189)}` })],
    ['email with a domain of one label', () => ({ email: `${uniqueLocalPart(40)}@localhost` })],
    [
      'email with dots and every other sign',
      () => ({ email: `.${uniqueLocalPart(36)}..!#$%&'*+/=?^_\`{|}~-@a-b.c--d.x` }),
    ],
    ['creditCardNumber of 8 digits', () => ({ creditCardNumber: '12345678' })],
    ['creditCardNumber of 19 digits', () => ({ creditCardNumber: '1'.repeat(19) })],
    ['creditCardNumber with hyphens and spaces', () => ({ creditCardNumber: '1-2 3-4 5-6 7-8' })],
    ['20 addresses', () => ({ addresses: Array(20).fill({ city: 'Oslo' }) })],
    ['addresses of 2,048 bytes', () => ({ addresses: addressesOf(2048) })],
    ['city of 128 characters', () => ({ addresses: [{ city: 'å'.repeat(128) }] })],
    ['zip of 32 characters', () => ({ addresses: [{ zip: '0'.repeat(32) }] })],
    ['door code of 32 characters', () => ({ addresses: [{ doorCode: '#'.repeat(32) }] })],
    [
      'home and ordinary addresses',
      () => ({ addresses: [{ city: 'Oslo', zip: '0150', doorCode: '4711' }, { zip: '5003' }] }),
    ],
  ])('for %s', async (_, attributes) => {
    const me = await writer()
    const body = newUser({ attributes: attributes() as Record<string, unknown> })
    const answer = await send('POST', '/users', me, body)

    expect(answer.status).toBe(201)
    expect(answer.document.data.attributes).toEqual(body.data.attributes)
  })

  it('for 100 identifiers in one body', async () => {
    const me = await writer()
    const id = await userOf(me)
    const members = [...Array(99).fill(relative('1', 'SON')), relative('2', 'WIFE')]
    const path = `/users/${id}/relationships/relatives`

    for (const method of ['POST', 'PATCH', 'DELETE']) {
      expect((await send(method, path, me, { data: members })).status).toBe(204)
    }
  })

  it.each([
    ['64 KiB', (body: object) => ofLength(64 * 1024, body)],
    ['32 levels', (body: object) => ofDepth(32, body)],
  ])('for a body of %s', async (_, grow) => {
    expect((await send('POST', '/users', await writer(), grow(newUser()))).status).toBe(201)
  })
})

describe('an attribute is stored as it was sent (contract, section 6)', () => {
  it('keeps the case of an e-mail address', async () => {
    const me = await writer()
    const email = uniqueEmail().toUpperCase()
    const id = await userOf(me, { attributes: { email } })

    expect((await seen(id, me)).attributes).toMatchObject({ email })
  })

  it('takes null for no card, and no addresses for none', async () => {
    const me = await writer()
    const id = await userOf(me, { attributes: { creditCardNumber: null, addresses: [] } })

    expect(Object.keys((await seen(id, me)).attributes ?? {})).toEqual(['fullName', 'email'])
  })

  it('takes any text without control characters', async () => {
    const me = await writer()
    const fullName = 'Ann "Bee" \\ \ufeff é e\u0301 אב 😀 \u2028 </script>'
    const id = await userOf(me, { attributes: { fullName } })

    expect((await seen(id, me)).attributes).toMatchObject({ fullName })
  })
})

describe('how a body is written does not matter', () => {
  it.each<[what: string, write: (body: NewUser) => string]>([
    ['white space', (body) => `\r\n\t ${JSON.stringify(body, null, 3)} \n`],
    ['escapes', (body) => JSON.stringify(body).replace('data', '\\u0064ata')],
    ['equal names in different objects', (body) => JSON.stringify({ meta: { data: 1 }, ...body })],
    [
      'names that look like structure',
      (body) => JSON.stringify({ ...body, meta: { ':{[': '"}' } }),
    ],
  ])('even with %s', async (_, write) => {
    expect((await send('POST', '/users', await writer(), write(newUser()))).status).toBe(201)
  })

  it('even when it comes in chunks', async () => {
    const { token } = await writer()
    const headers = {
      'content-type': mediaType,
      'content-length': [],
      'transfer-encoding': 'chunked',
    }
    const answer = await request('POST', '/jsonapi/users', { token, headers, body: newUser() })

    expect(answer.status).toBe(201)
  })
})
