import { Client } from 'pg'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { createApp } from '../../src/app.ts'
import { about, registry } from '../../src/resources/index.ts'
import { appOptions, personsWith, sendTo } from '../unit/http/app-options.ts'
import { openStoreAt } from './stores.ts'

/** The service in this process, on PostgreSQL, with an eye on the driver: queries that are sent before an answer share a round trip. */
async function startCounted() {
  vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  const [connecting, ending] = (['connect', 'end'] as const).map((name) =>
    vi.spyOn(Client.prototype, name),
  )
  let [flights, unanswered] = [0, 0]
  const query = Client.prototype.query as (...sent: unknown[]) => Promise<unknown>
  function counted(this: Client, ...sent: unknown[]) {
    flights += unanswered++ === 0 ? 1 : 0
    return query.apply(this, sent).finally(() => unanswered--)
  }
  vi.spyOn(Client.prototype, 'query').mockImplementation(counted as never)
  const closing: Promise<unknown>[] = []
  const app = createApp({
    ...appOptions,
    registry,
    store: openStoreAt(inject('postgresUrl'), { waitUntil: (promise) => closing.push(promise) }),
    verify: personsWith(Object.keys(about.scopes)),
  })
  const send = (method: string, path: string, body?: object) => sendTo(app, method, path, { body })
  // Reference data are in memory from here on.
  await send('GET', '/countries')
  return {
    send,
    /** The status of an answer, and how often the request has waited for answers to what it had sent. It leaves no connection. */
    async costOf(method: string, path: string, body?: object) {
      vi.clearAllMocks()
      flights = 0
      const { status } = await send(method, path, body)
      await Promise.all(closing.splice(0))
      expect(connecting).toHaveBeenCalledTimes(flights === 0 ? 0 : 1)
      expect(ending?.mock.contexts).toEqual(connecting?.mock.contexts)
      return { status, flights }
    },
  }
}

const user = (id?: string, attributes: object = {}) => ({
  data: { type: 'users', ...(id && { id }), attributes },
})

it('a write takes four round trips, a read of several statements three, one of a single statement one, and no connection is left', async () => {
  const { send, costOf } = await startCounted()
  const person = () => ({ fullName: 'Flier', email: `${crypto.randomUUID()}@example.com` })
  const { id } = (await send('POST', '/users', user(undefined, person()))).document.data
  const one = { data: [{ type: 'countries', id: 'NO' }] }
  const sorted = '/users?sort=-fullName'
  const several = [
    { op: 'update', data: { type: 'users', id, attributes: { fullName: 'Twice' } } },
    { op: 'add', data: { type: 'users', attributes: person() } },
  ]
  for (const [method, path, body, status, flights] of [
    ['GET', '/countries?include=currencies', undefined, 200, 0],
    ['GET', '/users', undefined, 200, 1],
    ['GET', `${sorted}&page[offset]=1&include=relatives,citizenships`, undefined, 200, 3],
    ['GET', `/users/${id}/relatives?include=citizenships`, undefined, 200, 3],
    ['GET', '/users/nobody', undefined, 404, 1],
    ['POST', '/users', user(undefined, person()), 201, 4],
    ['PATCH', `/users/${id}`, user(id, { fullName: 'Other' }), 204, 4],
    ['POST', `/users/${id}/relationships/citizenships`, one, 204, 4],
    ['POST', '/operations', { 'atomic:operations': several }, 200, 4],
    ['PATCH', '/users/nobody', user('nobody', { fullName: 'Other' }), 404, 4],
    ['POST', '/users', user(undefined, { ...person(), email: 'twice@example.com' }), 201, 4],
    ['POST', '/users', user(undefined, { ...person(), email: 'twice@example.com' }), 409, 6],
    ['DELETE', `/users/${id}`, undefined, 204, 4],
  ] as const) {
    expect({ method, path, ...(await costOf(method, path, body)) }).toEqual({
      method,
      path,
      status,
      flights,
    })
  }
})
