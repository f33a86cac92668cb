import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Is this what a client says at the end of a connection, when nobody waits any more? */
function isGoodbye(bytes: Buffer): boolean {
  const isTerminate = bytes.equals(Buffer.from([0x58, 0, 0, 0, 4]))
  return isTerminate || (bytes.includes('ROLLBACK') && !bytes.includes('BEGIN'))
}

/** What one connection has cost: how often the client has sent something and waited for an answer. */
interface Flights {
  /** Until the server takes statements. */
  setUp: number
  /** Since then. */
  statements: number
  isOpen: boolean
}

/** A proxy before a server of PostgreSQL that counts the round trips of each connection. */
export interface CountingProxy extends AsyncDisposable {
  readonly port: number
  /** All connections so far, in their order. */
  readonly connections: readonly Flights[]
}

export async function countingProxy(to: number): Promise<CountingProxy> {
  const connections: Flights[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    const flights: Flights = { setUp: 0, statements: 0, isOpen: true }
    connections.push(flights)
    const behind = connect({ port: to, host: '127.0.0.1', noDelay: true })
    let isReady = false
    let isAnswered = true
    client.on('data', (bytes) => {
      if (isAnswered && !isGoodbye(bytes)) {
        flights[isReady ? 'statements' : 'setUp'] += 1
        isAnswered = false
      }
      behind.write(bytes)
    })
    behind.on('data', (bytes) => {
      // ReadyForQuery, outside a transaction block.
      isReady ||= bytes.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))
      isAnswered = true
      client.write(bytes)
    })
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        flights.isOpen = false
        other.destroySoon()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) {
        socket.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}
