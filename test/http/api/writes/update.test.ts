import { describe, expect, it } from 'vitest'
import { get } from '../../../support/service.ts'
import { rowsOf } from './rows.ts'
import {
  change,
  countries,
  faults,
  relative,
  seen,
  send,
  uniqueEmail,
  userOf,
  type Wishes,
  type Writer,
  writer,
} from './writers.ts'

const everything = () => ({
  attributes: {
    email: uniqueEmail(),
    addresses: [{ city: 'Oslo', doorCode: '4711' }],
    creditCardNumber: '4242 4242 4242 4242',
  },
  relationships: {
    citizenships: { data: countries('NO', 'SE') },
    placeOfBirth: { data: { type: 'countries', id: 'NO' } },
    relatives: { data: [relative('1', 'SON'), relative('2', 'WIFE')] },
  },
})

async function update(me: Writer, id: string, members: Wishes) {
  return send('PATCH', `/users/${id}`, me, change(id, members))
}

describe('PATCH /users/{id} (contract, section 6)', () => {
  it('answers 204 without a body', async () => {
    const me = await writer()
    const id = await userOf(me)
    const answer = await update(me, id, { attributes: { fullName: 'Ann Cee' } })

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers).not.toHaveProperty('content-type')
    expect(answer.headers['cache-control']).toBe('private, no-cache')
  })

  it.each<[name: string, value: unknown, shown?: unknown]>([
    ['fullName', 'Ann Cee'],
    ['fullName', 'Ann  \u2028 Cee'],
    ['email', uniqueEmail()],
    ['addresses', [{ city: 'Bergen' }, { zip: '5003' }]],
    ['addresses', [], undefined],
    ['creditCardNumber', '5555-5555-5555-4444'],
    ['creditCardNumber', null, undefined],
  ])('changes %s to %j, and nothing else', async (name, value, ...shown) => {
    const me = await writer()
    const id = await userOf(me, everything())
    const before = await seen(id, me)
    const { [name]: _, ...others } = before.attributes ?? {}
    const now = shown.length > 0 ? shown[0] : value

    expect((await update(me, id, { attributes: { [name]: value } })).status).toBe(204)
    expect(await seen(id, me)).toEqual({
      ...before,
      attributes: { ...others, ...(now !== undefined && { [name]: now }) },
    })
  })

  it.each<[name: string, data: unknown, shown?: unknown]>([
    ['citizenships', countries('SE', 'FI'), countries('FI', 'SE')],
    ['citizenships', []],
    ['placeOfBirth', { type: 'countries', id: 'FI' }],
    ['placeOfBirth', null],
    ['relatives', [relative('2', 'MOTHER'), relative('3', 'BROTHER')]],
    ['relatives', []],
  ])('replaces %s by %j, and nothing else', async (name, data, shown = data) => {
    const me = await writer()
    const id = await userOf(me, everything())
    const before = await seen(id, me)
    const links = before.relationships?.[name]?.links

    expect((await update(me, id, { relationships: { [name]: { data } } })).status).toBe(204)
    expect(await seen(id, me)).toEqual({
      ...before,
      relationships: { ...before.relationships, [name]: { links, data: shown } },
    })
  })

  it('changes attributes and relationships together', async () => {
    const me = await writer()
    const id = await userOf(me)
    expect((await update(me, id, everything())).status).toBe(204)

    const { attributes, relationships } = await seen(id, me)
    expect(attributes).toMatchObject({ creditCardNumber: '4242 4242 4242 4242' })
    expect(relationships).toMatchObject(everything().relationships)
  })

  it('is safe to repeat', async () => {
    const me = await writer()
    const id = await userOf(me)
    const members = everything()
    const after = []
    for (const _ of [1, 2]) {
      expect((await update(me, id, members)).status).toBe(204)
      after.push(await seen(id, me))
    }

    expect(after[1]).toEqual(after[0])
  })

  it('makes another entity tag (contract, section 9)', async () => {
    const me = await writer()
    const id = await userOf(me)
    const before = await get(`/users/${id}`, me.token)
    await update(me, id, { attributes: { fullName: 'Ann Cee' } })
    const headers = { 'if-none-match': String(before.headers.etag) }

    expect((await get(`/users/${id}`, me.token, { headers })).status).toBe(200)
  })

  it('takes no parameter', async () => {
    const me = await writer()
    const id = await userOf(me)
    const body = change(id, { attributes: { fullName: 'Ann Cee' } })
    const answer = await send('PATCH', `/users/${id}?fields[users]=email`, me, body)

    expect(answer.status).toBe(400)
    expect(answer.document.errors).toMatchObject([{ source: { parameter: 'fields[users]' } }])
  })
})

describe('an update that conflicts changes nothing at all (contract, sections 2 and 6)', () => {
  async function refused(members: (id: string) => Wishes) {
    const me = await writer()
    const id = await userOf(me, everything())
    const before = await rowsOf(id)
    const answer = await update(me, id, members(id))
    expect(await rowsOf(id)).toEqual(before)
    return answer
  }

  it('and answers 409 where another user has the e-mail address', async () => {
    const email = uniqueEmail()
    await userOf(await writer(), { attributes: { email } })
    const answer = await refused(() => ({
      attributes: { fullName: 'No', creditCardNumber: null, email: email.toUpperCase() },
      relationships: { citizenships: { data: [] }, placeOfBirth: { data: null } },
    }))

    expect(answer.status).toBe(409)
    expect(faults(answer)).toEqual([['409', 'CONFLICT', '/data/attributes/email']])
  })

  it('and answers 404 where a linkage target does not exist', async () => {
    const answer = await refused(() => ({
      attributes: { fullName: 'No' },
      relationships: {
        citizenships: { data: countries('FI') },
        relatives: { data: [relative('1', 'SON'), relative(crypto.randomUUID(), 'WIFE')] },
      },
    }))

    expect(answer.status).toBe(404)
    expect(faults(answer)).toEqual([
      ['404', 'NOT_FOUND', '/data/relationships/relatives/data/1/id'],
    ])
  })

  it('and answers 404, not 409, where both are so', async () => {
    const email = uniqueEmail()
    await userOf(await writer(), { attributes: { email } })
    const answer = await refused(() => ({
      attributes: { email },
      relationships: { placeOfBirth: { data: { type: 'countries', id: 'XX' } } },
    }))

    expect(faults(answer)).toEqual([
      ['404', 'NOT_FOUND', '/data/relationships/placeOfBirth/data/id'],
    ])
  })

  it('but an update may repeat the address that the user has already, in any case', async () => {
    const me = await writer()
    const email = uniqueEmail()
    const id = await userOf(me, { attributes: { email } })

    expect((await update(me, id, { attributes: { email } })).status).toBe(204)
    const upper = email.toUpperCase()
    expect((await update(me, id, { attributes: { email: upper } })).status).toBe(204)
    expect((await seen(id, me)).attributes).toMatchObject({ email: upper })
  })
})
