import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { mediaType, serviceUrl } from '../../support/service.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

/** The bytes of a body, more than workerd takes by itself. */
const length = 30_000

/** Sends the head of a write without a token, and its body a while later, or never. */
async function refusedWrite(body: 'late' | 'never') {
  const headers = { 'Content-Type': mediaType, 'Content-Length': length }
  const sent = request(`${serviceUrl}/jsonapi/users`, { method: 'POST', agent, headers })
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
