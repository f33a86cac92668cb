import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, it } from 'vitest'
import { mediaType } from '../../support/service.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

/** Sends the head of a write without a token, and its body a while later, or never. */
async function refusedWrite(bytes: number, late: 'sent' | 'never') {
  const headers = { 'Content-Type': mediaType, 'Content-Length': bytes }
  const sent = request(`${inject('serviceUrl')}/jsonapi/users`, { method: 'POST', agent, headers })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.flushHeaders()
  if (late === 'sent') {
    await sleep(100)
    sent.end('x'.repeat(bytes))
  }
  const [response] = await answered
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode, onSameConnection: sent.reusedSocket }
}

// A connection with a body that nobody has read is closed, by a proxy on the way maybe before the answer has gone through.
it('a refusal reads the body that comes after the head, so that the connection serves the next request', async () => {
  expect(await refusedWrite(30_000, 'sent')).toEqual({ status: 401, onSameConnection: false })
  expect(await refusedWrite(30_000, 'sent')).toEqual({ status: 401, onSameConnection: true })
})

it('a refusal is answered although its body never comes', async () => {
  expect(await refusedWrite(30_000, 'never')).toMatchObject({ status: 401 })
})
