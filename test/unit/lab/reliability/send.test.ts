import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { send } from '../../../../lab/reliability/lib/send.ts'

/** A server that answers without reading a body to its end, and closes: once it has got so many bytes of the request. */
async function impatientServer(
  bytes: number,
): Promise<{ origin: string; connections: () => number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    let got = 0
    socket.on('error', () => {})
    socket.on('data', (data) => {
      got += data.length
      if (got >= bytes) {
        socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno')
        socket.destroySoon()
      }
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, connections: () => connections }
}

it.each([1, 70_000, 1_000_000])(
  'has the answer of a server that reads %s bytes of 5 million',
  async (bytes) => {
    const { origin, connections } = await impatientServer(bytes)
    const request = { method: 'POST', path: '/', headers: [], body: Buffer.alloc(5_000_000) }
    for (let count = 1; count <= 10; count++) {
      const { status, text } = await send(origin, request, { alone: true })
      expect([status, text]).toEqual([400, 'no'])
    }
    // Hardly any answer is lost, so that hardly any request goes out again.
    expect(connections()).toBeLessThan(15)
  },
)
