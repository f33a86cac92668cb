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

it('every write is logged with request, operation, resource, caller and outcome', async () => {
  const me = await writer()
  const created = await send('POST', '/users', me, newUser())
  const { id } = created.document.data
  const linkage = `/users/${id}/relationships/citizenships`
  const answers = [
    created,
    await send('POST', linkage, me, { data: countries('SE') }),
    await send('DELETE', `/users/${id}`, me),
  ]
  const lines = await linesOf(answers)

  const told = (nth: number, operation: string, status: number) => ({
    requestId: answers[nth]?.headers['x-request-id'],
    operation,
    status,
    resource: id,
    caller: lines[0]?.caller,
  })
  expect(lines).toMatchObject([
    told(0, 'users.create', 201),
    told(1, 'users.citizenships.addMany', 204),
    told(2, 'users.delete', 204),
  ])
  expect(lines[0]?.caller).toMatch(/^[\w-]{16}$/)
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
