import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { send } from '../../../../lab/reliability/lib/send.ts'

it('has the answer of a server that reads no body, also where its first answer is lost', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      if (data.toString().endsWith('\r\n\r\n')) {
        socket.end(
          'HTTP/1.1 406 Not Acceptable\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno',
        )
      } else {
        socket.destroy()
      }
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const body = 'x'.repeat(20_000_000)
  const { status, text } = await send(`http://127.0.0.1:${port}`, {
    method: 'POST',
    path: '/',
    headers: [],
    body,
  })
  expect([status, text]).toEqual([406, 'no'])
})
