import { expect, it } from 'vitest'
import { type Line, lineAbout } from '../../../support/log.ts'
import { clientToken } from '../../../support/service.ts'
import {
  change,
  countries,
  newUser,
  relative,
  send,
  somebody,
  uniqueEmail,
  userOf,
  writer,
} from './writers.ts'

/** What the log says of requests, in their order: one line each. */
function linesOf(answers: readonly Awaited<ReturnType<typeof send>>[]): Promise<Line[]> {
  return Promise.all(answers.map((answer) => lineAbout(answer)))
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
  const answers = [created]
  for (const [, method, path, body] of writes) {
    answers.push(await send(method, path, me, body))
  }
  const lines = await linesOf(answers)

  expect(
    lines.map(({ requestId, operation, resource }) => [requestId, operation, resource]),
  ).toEqual(
    ['users.create', ...writes.map(([operation]) => operation)].map((operation, nth) => [
      answers[nth]?.headers['x-request-id'],
      operation,
      id,
    ]),
  )
  expect(lines.map(({ status }) => status)).toEqual([201, ...Array(9).fill(204)])
  const [caller, ...others] = new Set(lines.map(({ caller }) => caller))
  expect(caller).toMatch(/^[\w-]{16}$/)
  expect(others).toEqual([])
})

it('every refused write is logged with its outcome', async () => {
  const [me, other] = [await writer(), await writer()]
  const email = uniqueEmail()
  await userOf(other, { attributes: { email } })
  const id = await userOf(other)
  const mine = await userOf(me)
  const taken = change(mine, { attributes: { email } })
  const linked = { data: countries('XX') }
  const answers = [
    await send('DELETE', `/users/${id}`, me),
    await send('DELETE', `/users/${somebody}`, me),
    await send('PATCH', `/users/${mine}`, me, taken),
    await send('POST', `/users/${mine}/relationships/citizenships`, me, linked),
    await send('PATCH', `/users/${mine}`, me, '['),
    await send('DELETE', `/users/${mine}`, { token: await clientToken() }),
    await send('DELETE', `/users/${mine}`, { token: 'none' }),
  ]
  const lines = await linesOf(answers)

  expect(lines.map(({ operation, status }) => [operation, status])).toEqual([
    ['users.delete', 403],
    ['users.delete', 404],
    ['users.update', 409],
    ['users.citizenships.addMany', 404],
    ['users.update', 400],
    ['users.delete', 403],
    ['users.delete', 401],
  ])
  // The log names an id only where it exists, since a path can hold anything.
  expect(lines.map(({ resource }) => resource).filter(Boolean)).toEqual([id, mine])
  expect(lines.map(({ caller }) => caller === undefined)).toEqual([...Array(6).fill(false), true])
})
