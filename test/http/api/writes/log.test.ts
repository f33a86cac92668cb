import { expect, it } from 'vitest'
import { type Line, lineAbout } from '../../../support/log.ts'
import { clientToken } from '../../../support/service.ts'
import {
  change,
  countries,
  newUser,
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

it('every write is logged with its operation, its resource, its caller and its outcome', async () => {
  const [me, other] = [await writer(), await writer()]
  const email = uniqueEmail()
  await userOf(other, { attributes: { email } })
  const id = await userOf(other)
  const mine = await userOf(me)
  const taken = change(mine, { attributes: { email } })
  const linked = { data: countries('XX') }
  const created = await send('POST', '/users', me, newUser())
  const answers = [
    created,
    await send('POST', `/users/${mine}/relationships/citizenships`, me, { data: countries('SE') }),
    await send('DELETE', `/users/${id}`, me),
    await send('DELETE', `/users/${somebody}`, me),
    await send('PATCH', `/users/${mine}`, me, taken),
    await send('POST', `/users/${mine}/relationships/citizenships`, me, linked),
    await send('PATCH', `/users/${mine}`, me, '['),
    await send('DELETE', `/users/${mine}`, { token: await clientToken() }),
    await send('DELETE', `/users/${mine}`, { token: 'none' }),
  ]
  const lines = await linesOf(answers)

  expect(lines.map(({ requestId }) => requestId)).toEqual(
    answers.map(({ headers }) => headers['x-request-id']),
  )
  expect(lines.map(({ operation, status }) => [operation, status])).toEqual([
    ['users.create', 201],
    ['users.citizenships.addMany', 204],
    ['users.delete', 403],
    ['users.delete', 404],
    ['users.update', 409],
    ['users.citizenships.addMany', 404],
    ['users.update', 400],
    ['users.delete', 403],
    ['users.delete', 401],
  ])
  // The log names an id only where it exists, since a path can hold anything.
  expect(lines.map(({ resource }) => resource).filter(Boolean)).toEqual([
    created.document.data.id,
    mine,
    id,
    mine,
  ])
  // Seven are of one person.
  expect(lines[0]?.caller).toMatch(/^[\w-]{16}$/)
  expect(new Set(lines.slice(0, 7).map(({ caller }) => caller)).size).toBe(1)
  expect(lines.map(({ caller }) => caller === undefined)).toEqual([...Array(8).fill(false), true])
})
