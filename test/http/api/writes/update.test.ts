import { describe, expect, it } from 'vitest'
import { get } from '../../../support/service.ts'
import { rowsOf } from './rows.ts'
import {
  change,
  countries,
  faults,
  relative,
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

describe('PATCH /users/{id}', () => {
  it('answers 204 without a body', async () => {
    const me = await writer()
    const id = await userOf(me)
    const answer = await update(me, id, { attributes: { fullName: 'Ann Cee' } })

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers).not.toHaveProperty('content-type')
    expect(answer.headers['cache-control']).toBe('private, no-cache')
  })
})

it('An update of an e-mail address that another user has is a 409, and changes nothing at all', async () => {
  const email = uniqueEmail()
  await userOf(await writer(), { attributes: { email } })
  const me = await writer()
  const id = await userOf(me, everything())
  const before = await rowsOf(id)
  const answer = await update(me, id, {
    attributes: { fullName: 'No', creditCardNumber: null, email: email.toUpperCase() },
    relationships: { citizenships: { data: [] }, placeOfBirth: { data: null } },
  })

  expect(answer.status).toBe(409)
  expect(faults(answer)).toEqual([['409', 'CONFLICT', '/data/attributes/email']])
  expect(await rowsOf(id)).toEqual(before)
})

it('An update replaces all members of a relationship that it sends, also those that the resource object does not show', async () => {
  const me = await writer()
  const id = await userOf(me)
  const path = `/users/${id}/relationships/citizenships`
  const { data } = (await get('/countries?fields[countries]=', me.token)).document
  const many = countries(...data.map((country: { id: string }) => country.id), 'ZW')
  expect((await send('PATCH', path, me, { data: many })).status).toBe(204)
  const shown = (await get(`/users/${id}`, me.token)).document.data.relationships.citizenships
  expect(shown.data.length).toBeLessThan(many.length)

  const replacement = { relationships: { citizenships: { data: countries('NO') } } }
  expect((await update(me, id, replacement)).status).toBe(204)
  expect((await get(path, me.token)).document.data).toEqual(countries('NO'))
})
