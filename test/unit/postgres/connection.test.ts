import { expect, it } from 'vitest'
import { newUsage } from '../../../src/db/connection.ts'
import { connectPostgres } from '../../../src/postgres/connection.ts'
import { begun, failure, fakeServer, ready } from './fake-server.ts'

const deadlineMs = 100
const statement = { text: 'SELECT 1', values: [] }

it('where no connection is made in time, the statements are not sent, and it is known', async () => {
  const late = Promise.withResolvers<void>()
  const heard: string[] = []
  await using server = await fakeServer(async ({ receive, welcome }) => {
    await late.promise
    await welcome()
    heard.push(await receive().then(({ type }) => type, String))
  })
  const { run, close } = connectPostgres(server.origin, newUsage(), deadlineMs)
  const error = await run([statement, statement]).catch((reason) => reason)
  expect(error.name).toBe('NotSent')
  late.resolve()
  await expect.poll(() => heard).toHaveLength(1)
  expect(heard).not.toContain('P')
  await close()
})

it('where statements were sent, and no answer comes in time, the outcome is not known', async () => {
  await using server = await fakeServer(({ welcome }) => welcome())
  const { run, close } = connectPostgres(server.origin, newUsage(), deadlineMs)
  const error = await run([statement]).catch((reason) => reason)
  expect(error.name).toBe('DatabaseDeadline')
  await close()
})

it('is closed, also where the server does not answer to the end of a transaction that has failed', async () => {
  const heard: string[] = []
  await using server = await fakeServer(async ({ socket, welcome, untilSync }) => {
    await welcome()
    heard.push(await untilSync())
    socket.write(Buffer.concat([begun, failure('40001', 'could not serialize'), ready]))
    heard.push(await untilSync())
  })
  const { run, close } = connectPostgres(server.origin, newUsage(), deadlineMs)
  await expect(run([statement, statement])).rejects.toThrow('could not serialize')
  await close()
  expect(heard.at(-1)).toBe('PBES')
})
