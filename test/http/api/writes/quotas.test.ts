import { expect, it } from 'vitest'
import {
  countries,
  newUser,
  send as sendTo,
  userOf,
  type Writer,
  writer,
} from '../../../support/people.ts'
import { configuredService } from '../../../support/service.ts'
import { add, transact } from '../../../support/transactions.ts'
import { giveUsers, ownedBy, rowsOf } from './rows.ts'

/** A person owns at most 200 users here, and a relationship has at most six members. */
const service = await configuredService()

const send = (method: string, path: string, me: Writer, body?: unknown) =>
  sendTo(method, path, me, body, service)
const create = (me: Writer) => send('POST', '/users', me, newUser())

const six = ['NO', 'SE', 'FI', 'DK', 'IS', 'DE']

it('a person owns at most so many users: the last is made, one more is a 409 that names the bound, and after a delete one is made again', async () => {
  const me = await writer()
  await giveUsers(me, 199, service)
  const last = await userOf(me, {}, service)
  const more = newUser({ relationships: { citizenships: { data: countries('NO') } } })
  const refused = await send('POST', '/users', me, more)

  expect(refused.faults).toEqual(['409 CONFLICT pointer /data'])
  expect(refused.document.errors?.[0]?.detail).toBe(
    'A person owns at most 200 resources of type users. Delete one to make room.',
  )
  expect(await ownedBy(me, service)).toBe(200)
  expect((await create(await writer())).status).toBe(201)

  expect((await send('DELETE', `/users/${last}`, me)).status).toBe(204)
  const two = await transact(me.token, [add(), add()], service)
  expect(two.faults).toEqual(['409 CONFLICT pointer /atomic:operations/1/data'])
  expect(await ownedBy(me, service)).toBe(199)
  // One that a later operation removes does not count.
  const ref = { type: 'users', lid: 'a' }
  const kept = await transact(me.token, [add('a'), { op: 'remove', ref }, add()], service)
  expect([kept.status, await ownedBy(me, service)]).toEqual([200, 200])
  expect((await create(me)).status).toBe(409)
})

it('a relationship has at most so many members: six are taken, a seventh is a 409 that names the bound, and after a removal one is taken again', async () => {
  const me = await writer()
  const relationships = { citizenships: { data: countries(...six) } }
  const id = await userOf(me, { relationships }, service)
  const path = `/users/${id}/relationships/citizenships`
  const refused = await send('POST', path, me, { data: countries('NO', 'FR') })

  expect(refused.faults).toEqual(['409 CONFLICT pointer /data'])
  expect(refused.document.errors?.[0]?.detail).toBe(
    'The relationship citizenships can have at most 6 members, and this request would make it more.',
  )
  expect((await rowsOf(id, service)).citizenships).toHaveLength(6)
  expect((await send('POST', path, me, { data: countries(...six) })).status).toBe(204)

  expect((await send('DELETE', path, me, { data: countries('NO') })).status).toBe(204)
  expect((await send('POST', path, me, { data: countries('FR') })).status).toBe(204)
  expect((await send('POST', path, me, { data: countries('NO') })).status).toBe(409)
  const others = countries('AT', 'BE', 'CH', 'CZ', 'ES', 'PL')
  expect((await send('PATCH', path, me, { data: others })).status).toBe(204)
})
