import { expect, it } from 'vitest'
import { get } from '../../../support/service.ts'
import { change, countries, send, userOf, writer } from './writers.ts'

// What each write answers, stores and refuses, the random model shows (test/http/model).

it('A create gives ids that are UUIDv7, later ones after earlier ones', async () => {
  const me = await writer()
  const [first, second] = [await userOf(me), await userOf(me)]

  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(first < second).toBe(true)
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
  expect((await send('PATCH', `/users/${id}`, me, change(id, replacement))).status).toBe(204)
  expect((await get(path, me.token)).document.data).toEqual(countries('NO'))
})

it('A delete ignores a body, whatever it is', async () => {
  const me = await writer()
  const path = `/users/${await userOf(me)}`

  expect((await send('DELETE', path, me, ' '.repeat(70_000))).status).toBe(204)
  expect((await get(path, me.token)).status).toBe(404)
})
