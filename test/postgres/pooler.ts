import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { connected } from '../../scripts/postgres/client.ts'

/** Milliseconds that a connection to the server waits for its next client: the server counts what it has done when it has gone. */
const patience = 100

/** Messages of the protocol: a client leaves, and an answer ends outside of a transaction. */
const goodbye = Buffer.from([0x58, 0, 0, 0, 4])
const idle = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
/** No password is asked for: a Hyperdrive that is near the Worker takes little. */
const welcome = Buffer.concat([Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]), idle])

/**
 * Starts a pooler, which stands before a server of PostgreSQL. Like Hyperdrive it keeps connections to the server: a process of the server for each request would take most of what
 * the tests take. A client has a connection for itself as long as it stays, and the next one gets it only where no transaction is open
 * and nothing is unanswered. Any other is closed.
 *
 * @param server the address of a database of the server, for a user who may connect to all of them
 * @param most connections to the server; a client waits for one
 */
export async function startPooler(server: string, most = Number.POSITIVE_INFINITY) {
  const free = new Map<string, Socket[]>()
  const waiting: (() => void)[] = []
  let left = most
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket.on('error', () => {}))
    socket.on('close', () => sockets.delete(socket))
  }

  async function take(database: string): Promise<Socket> {
    const kept = free.get(database)?.pop()
    if (kept) {
      return kept.setTimeout(0)
    }
    const url = Object.assign(new URL(server), { pathname: `/${database}` }).href
    // It has shown the password. From here on the answers are not for it.
    const { connection } = (await connected(url)) as unknown as { connection: { stream: Socket } }
    const { stream } = connection
    keep(stream.removeAllListeners('data'))
    const withdraw = () =>
      free.set(database, free.get(database)?.filter((line) => line !== stream) ?? [])
    stream.on('end', withdraw).on('timeout', () => {
      withdraw()
      stream.end(goodbye)
    })
    return stream
  }

  async function serve(client: Socket, greeting: Buffer): Promise<void> {
    const [, database = ''] = /\0database\0([^\0]+)\0/.exec(greeting.toString()) ?? []
    if (left === 0) {
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      left--
    }
    const leave = () => {
      const next = waiting.shift()
      left += next ? 0 : 1
      next?.()
    }
    if (client.destroyed) {
      leave()
      return
    }
    client.on('close', leave)
    const line = await take(database)
    if (client.destroyed) {
      line.destroy()
      return
    }
    let isAtRest = true
    const onAnswer = (bytes: Buffer) => {
      isAtRest = bytes.subarray(-6).equals(idle)
      client.write(bytes)
    }
    const onEnd = () => client.end()
    line.on('data', onAnswer).on('close', onEnd)
    client.on('data', (bytes) => {
      if (!bytes.equals(goodbye)) {
        isAtRest = false
        line.write(bytes)
      }
    })
    client.on('close', () => {
      line.off('data', onAnswer).off('close', onEnd)
      if (isAtRest && line.writable) {
        free.set(database, [...(free.get(database) ?? []), line.setTimeout(patience)])
      } else {
        line.destroy()
      }
    })
    client.write(welcome)
  }

  const pooler = createServer({ noDelay: true }, (client) => {
    keep(client)
    client.once('data', (greeting) => serve(client, greeting).catch(() => client.destroy()))
  }).listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  const { port } = pooler.address() as AddressInfo
  return {
    /** The address of a database of the server, by way of the pooler. */
    urlOf: (database: string) => `postgres://pooled:none@127.0.0.1:${port}/${database}`,
    async close() {
      for (const socket of sockets) {
        socket.destroy()
      }
      pooler.close()
      await once(pooler, 'close')
    },
  }
}
