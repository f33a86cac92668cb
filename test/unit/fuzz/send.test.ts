import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { send } from '../../fuzz/send.ts'

const answer = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'
const request = { method: 'POST', path: '/', headers: [], body: Buffer.alloc(200_000) }

/** Starts a server, which is handed each connection and its number, from 1. */
async function startServer(
  onConnection: (socket: Socket, nth: number) => void,
): Promise<{ origin: string; connections: () => number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    onConnection(socket, connections)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, connections: () => connections }
}

it.each([1, 70_000, 150_000])(
  'has the answer of a server that reads %s bytes of 200,000',
  async (bytes) => {
    const { origin, connections } = await startServer((socket) => {
      let got = 0
      socket.on('data', (data) => {
        got += data.length
        if (got >= bytes) {
          socket.end(answer)
          socket.destroySoon()
        }
      })
    })
    for (let count = 1; count <= 10; count++) {
      const { status, text } = await send(origin, request, { alone: true })
      expect([status, text]).toEqual([400, 'no'])
    }
    // Hardly any answer is lost, so that hardly any request goes out again.
    expect(connections()).toBeLessThan(15)
  },
)

it('sends a request again whose connection is closed before its body is sent', async () => {
  const { origin, connections } = await startServer((socket, nth) => {
    socket.once('data', () => {
      if (nth === 1) {
        socket.resetAndDestroy()
      } else {
        socket.end(answer)
      }
    })
  })
  const { text } = await send(origin, request, { alone: true })
  expect([text, connections()]).toEqual(['no', 2])
})

it('has the answer of a server that closes the connection at the first byte of a body', async () => {
  const { origin, connections } = await startServer((socket) => {
    socket.once('data', (data) => {
      if (data.toString('latin1').endsWith('\r\n\r\n')) {
        socket.end(answer)
      } else {
        socket.resetAndDestroy()
      }
    })
  })
  const { text } = await send(origin, request, { alone: true })
  expect([text, connections()]).toEqual(['no', 2])
})
