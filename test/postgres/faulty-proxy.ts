import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What becomes of the server's answers: they are passed on, kept back, the connection is cut where one comes, or that one is replaced by an error. */
type Way = 'pass' | 'stall' | 'cut' | 'fail'

/** What a proxy says that has lost its server: an error of the class of system errors, after which it is ready for a query. */
const fields = 'SERROR\0VERROR\0C58000\0Mthe server is gone\0\0'
const systemError = Buffer.from(
  `E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}Z\0\0\0\x05I`,
)

export type FaultyProxy = Awaited<ReturnType<typeof faultyProxy>>

/** A proxy before a server of PostgreSQL, on which answers get lost, and what clients send comes late. */
export async function faultyProxy(first: number) {
  let to = first
  const clients = new Set<Socket>()
  const all = new Set<Socket>()
  let fault: { way: Way; when: (answer: Buffer) => boolean } = { way: 'pass', when: () => false }
  let delayed = { milliseconds: 0, when: (_: Buffer) => false, cuts: false }
  const server = createServer({ noDelay: true }, (client) => {
    const behind = connect({ port: to, host: '127.0.0.1', noDelay: true })
    let way: Way = 'pass'
    clients.add(client)
    client.on('close', () => clients.delete(client))
    let late: Promise<unknown> = Promise.resolve()
    client.on('data', (bytes) => {
      if (delayed.when(bytes)) {
        const { milliseconds, cuts } = delayed
        late = new Promise((resolve) =>
          setTimeout(() => resolve(behind.write(bytes)), milliseconds),
        )
        if (cuts) {
          client.destroy()
        }
      } else {
        behind.write(bytes)
      }
    })
    behind.on('data', (bytes) => {
      if (way === 'pass' && fault.when(bytes)) {
        way = fault.way
      }
      if (way === 'pass') {
        client.write(bytes)
      } else if (way === 'cut') {
        client.destroy()
      } else if (way === 'fail') {
        client.write(systemError)
        way = 'pass'
      }
    })
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      all.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => void late.then(() => other.destroySoon()))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Sets what becomes of the answers from the first one on that `when` holds for. All before it are passed on. */
    lose(way: Way, when: (answer: Buffer) => boolean) {
      fault = { way, when }
    },
    /** Hands on only after some milliseconds what clients send that `when` holds for; `cuts` cuts their connection at once. */
    delay(milliseconds: number, when: (sent: Buffer) => boolean, cuts = false) {
      delayed = { milliseconds, when, cuts }
    },
    /** Leads to another server from now on. */
    moveTo(port: number) {
      to = port
    },
    /** The number of connections of clients that are open. */
    open: () => clients.size,
    async [Symbol.asyncDispose]() {
      for (const socket of all) {
        socket.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}
