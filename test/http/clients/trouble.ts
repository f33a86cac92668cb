import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Each trouble that a client has to cope with, in words. */
export const troubles = {
  refused: 'A second page is refused for a second by the rate limit.',
  lost: 'The answer to a create is lost after it was carried out.',
  overtaken: 'Somebody else edits a user between a read and an edit of it.',
} as const

/** The address that somebody else gives to the user who is edited. */
export const elsewhere = { city: 'Tromsø' }

/**
 * Starts a proxy before the service. It passes everything on, but makes each of the {@link troubles} once.
 *
 * @param service origin of the service
 */
export async function startTrouble(service: string) {
  const made: string[] = []
  const isNew = (trouble: keyof typeof troubles): boolean => {
    const isFirst = !made.includes(troubles[trouble])
    if (isFirst) {
      made.push(troubles[trouble])
    }
    return isFirst
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request
    const target = service + url
    if (method === 'GET' && url.includes('cursor') && isNew('refused')) {
      response.writeHead(429, { 'Retry-After': '1' }).end()
      return
    }
    if (method === 'PATCH' && headers['if-match'] && isNew('overtaken')) {
      await overtake(target, headers)
    }
    const passed = request.pipe(send(target, { method, headers }))
    const [answer] = (await once(passed, 'response')) as [IncomingMessage]
    if (method === 'POST' && headers['idempotency-key'] && isNew('lost')) {
      response.destroy()
      return
    }
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(response)
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What it has done, in order. */
    made,
    close(): void {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Adds an address to a user in the name of its owner. */
async function overtake(url: string, { authorization = '' }: IncomingMessage['headers']) {
  const headers = { Authorization: authorization, 'Content-Type': 'application/vnd.api+json' }
  const read = await fetch(url, { headers })
  const { data } = (await read.json()) as {
    data: { id: string; attributes: { addresses?: readonly object[] } }
  }
  const addresses = [...(data.attributes.addresses ?? []), elsewhere]
  const edit = { data: { type: 'users', id: data.id, attributes: { addresses } } }
  const { status } = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(edit) })
  if (status !== 204) {
    throw new Error(`The edit of somebody else is answered with ${status}.`)
  }
}
