import { once } from 'node:events'
import { Agent, type IncomingMessage, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { newUser, writer } from '../../support/people.ts'
import { mediaType, serviceUrl } from '../../support/service.ts'

/** Creates a user by a body without a declared length, in chunks of so many bytes; gives the status. */
async function createInChunks(text: string, bytes: number): Promise<number | undefined> {
  const { hostname, port } = new URL(serviceUrl)
  const { token } = await writer()
  const headers = { authorization: `Bearer ${token}`, 'content-type': mediaType }
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const path = '/jsonapi/users'
  const sent = send({ hostname, port, method: 'POST', path, headers }, (response) => {
    response.resume()
    resolve(response.statusCode)
  })
  sent.on('error', reject)
  for (let start = 0; start < text.length; start += bytes) {
    sent.write(text.slice(start, start + bytes))
    // The chunks are sent at different times, so that they arrive as several.
    await new Promise(setImmediate)
  }
  sent.end()
  return promise
}

/** A body of so many bytes: white space around the same user. */
const bodyOf = (bytes: number) => JSON.stringify(newUser()).padEnd(bytes)

it.each([
  ['bytes', 500, 1],
  ['odd chunks, as long as a body may be', 65_536, 977],
  ['one chunk, as long as a body may be', 65_536, 65_536],
])('a body without a declared length is read whole: in %s', async (_, length, bytes) => {
  expect(await createInChunks(bodyOf(length), bytes)).toBe(201)
})

it('a body without a declared length that is one byte too long is refused', async () => {
  expect(await createInChunks(bodyOf(65_537), 977)).toBe(400)
})

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

/** The bytes of a body, more than workerd takes by itself. */
const length = 30_000

/** Sends the head of a write without a token, and its body a while later, or never. */
async function refusedWrite(body: 'late' | 'never') {
  const headers = { 'Content-Type': mediaType, 'Content-Length': length }
  const sent = send(`${serviceUrl}/jsonapi/users`, { method: 'POST', agent, headers })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.flushHeaders()
  if (body === 'late') {
    await sleep(100)
    sent.end('x'.repeat(length))
  }
  const [response] = await answered
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode, onSameConnection: sent.reusedSocket }
}

// A connection with a body that nobody has read is closed, by a proxy on the way maybe before the answer has gone through.
it('a refusal reads the body that comes after the head, so that the connection serves the next request', async () => {
  expect(await refusedWrite('late')).toEqual({ status: 401, onSameConnection: false })
  expect(await refusedWrite('late')).toEqual({ status: 401, onSameConnection: true })
})

it('a refusal is answered although its body never comes', async () => {
  expect(await refusedWrite('never')).toMatchObject({ status: 401 })
})
