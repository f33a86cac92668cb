import { expect, it } from 'vitest'
import { clientToken, logs } from '../../harness/service.ts'
import { somebody } from './bad-body.ts'
import {
  change,
  countries,
  newUser,
  relative,
  send,
  uniqueEmail,
  userOf,
  type Writer,
  writer,
} from './writers.ts'

/** One line of the log about a request. */
type Line = Readonly<Record<string, unknown>>

/** Sends a write; the name that the service gave the request. */
async function named(...write: Parameters<typeof send>): Promise<string> {
  return String((await send(...write)).headers['x-request-id'])
}

/** What the log says of requests, in their order: one line each. */
async function linesOf(requests: readonly string[]): Promise<readonly Line[]> {
  const lines = async () => {
    const written = (await logs()).filter((line) => line.includes('"event":"request"'))
    return requests.flatMap((id) => written.filter((line) => line.includes(id)))
  }
  await expect.poll(async () => (await lines()).length).toBe(requests.length)
  return (await lines()).map((line) => JSON.parse(line))
}

/** Every write of a user: how the log names it, and what is sent. */
function writesOf(id: string, email: string) {
  const linkage = (name: string) => `/users/${id}/relationships/${name}`
  const attributes = { fullName: 'Ann Secret', email, creditCardNumber: '4929 4204 1111 7777' }
  return [
    ['users.update', 'PATCH', `/users/${id}`, change(id, { attributes })],
    ['users.citizenships.replaceMany', 'PATCH', linkage('citizenships'), { data: countries('NO') }],
    ['users.citizenships.addMany', 'POST', linkage('citizenships'), { data: countries('SE') }],
    ['users.citizenships.removeMany', 'DELETE', linkage('citizenships'), { data: countries('SE') }],
    ['users.placeOfBirth.replaceOne', 'PATCH', linkage('placeOfBirth'), { data: null }],
    ['users.relatives.replaceMany', 'PATCH', linkage('relatives'), { data: [] }],
    ['users.relatives.addMany', 'POST', linkage('relatives'), { data: [relative('1', 'SON')] }],
    [
      'users.relatives.removeMany',
      'DELETE',
      linkage('relatives'),
      { data: [relative('1', 'SON')] },
    ],
    ['users.delete', 'DELETE', `/users/${id}`],
  ] as const
}

it('every write is logged with request, operation, resource, caller and outcome', async () => {
  const me = await writer()
  const created = await send('POST', '/users', me, newUser())
  const { id } = created.document.data
  const writes = writesOf(id, uniqueEmail())
  const requests = [String(created.headers['x-request-id'])]
  for (const [, method, path, body] of writes) {
    requests.push(await named(method, path, me, body))
  }
  const lines = await linesOf(requests)

  expect(
    lines.map(({ requestId, operation, resource }) => [requestId, operation, resource]),
  ).toEqual(
    ['users.create', ...writes.map(([operation]) => operation)].map((operation, nth) => [
      requests[nth],
      operation,
      id,
    ]),
  )
  expect(lines.map(({ status }) => status)).toEqual([201, ...Array(9).fill(204)])
  const [caller, ...others] = new Set(lines.map(({ caller }) => caller))
  expect(caller).toMatch(/^[0-9a-f]{16}$/)
  expect(others).toEqual([])
})

it('refused writes are logged with their outcome', async () => {
  const [me, other] = [await writer(), await writer()]
  const email = uniqueEmail()
  await userOf(other, { attributes: { email } })
  const id = await userOf(other)
  const mine = await userOf(me)
  const taken = change(mine, { attributes: { email } })
  const linked = { data: countries('XX') }
  const requests = [
    await named('DELETE', `/users/${id}`, me),
    await named('DELETE', `/users/${somebody}`, me),
    await named('PATCH', `/users/${mine}`, me, taken),
    await named('POST', `/users/${mine}/relationships/citizenships`, me, linked),
    await named('PATCH', `/users/${mine}`, me, '['),
    await named('DELETE', `/users/${mine}`, { token: await clientToken() }),
    await named('DELETE', `/users/${mine}`, { token: 'none' }),
  ]
  const lines = await linesOf(requests)

  expect(lines.map(({ operation, status }) => [operation, status])).toEqual([
    ['users.delete', 403],
    ['users.delete', 404],
    ['users.update', 409],
    ['users.citizenships.addMany', 404],
    ['users.update', 400],
    ['users.delete', 403],
    ['users.delete', 401],
  ])
  // Only an id that is known to exist: anything can stand in a path.
  expect(lines.map(({ resource }) => resource).filter(Boolean)).toEqual([id, mine])
  expect(lines.map(({ caller }) => caller === undefined)).toEqual([...Array(6).fill(false), true])
})

it('callers are told apart in the log, but not told', async () => {
  const people = [await writer(), await writer()]
  const requests = []
  for (const me of people) {
    requests.push(await named('POST', '/users', me, newUser()))
  }
  const [first, second] = await linesOf(requests)

  expect(first?.caller).not.toBe(second?.caller)
  const text = (await logs()).join('\n')
  for (const { sub, token } of people) {
    expect(text).not.toContain(sub)
    expect(text).not.toContain(token)
  }
})

it('no line of the log holds a value that was sent', async () => {
  const me: Writer = await writer()
  const marks = Array.from({ length: 6 }, () => `mark${crypto.randomUUID().slice(0, 8)}`)
  const [name, local, city, zip, door, unknown] = marks
  const email = `${local}@example.com`
  const attributes = { fullName: name, email, addresses: [{ city, zip, doorCode: door }] }
  const id = await userOf(me, { attributes })
  const sent = [
    await send('POST', '/users', await writer(), newUser({ attributes })),
    await send(
      'PATCH',
      `/users/${id}`,
      me,
      change(id, { attributes: { ...attributes, [`${unknown}`]: 1 } }),
    ),
    await send('POST', `/users/${id}/relationships/citizenships`, me, {
      data: countries(`${unknown}`),
    }),
    await send('PATCH', `/users/${id}?${unknown}=${unknown}`, me, change(id, {})),
  ]
  await linesOf(sent.map(({ headers }) => String(headers['x-request-id'])))

  expect(sent.map(({ status }) => status)).toEqual([409, 400, 404, 400])
  const text = (await logs()).join('\n')
  expect(marks.filter((mark) => text.includes(mark))).toEqual([])
})
