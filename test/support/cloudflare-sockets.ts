import { once } from 'node:events'
import { connect as dial } from 'node:net'
import { Readable, Writable } from 'node:stream'

/* Stands in for the platform's module `cloudflare:sockets` where code of the Worker runs in Node (vitest.config.ts). */

/** Connects to a server. */
export function connect({ hostname, port }: { hostname: string; port: number }): unknown {
  const socket = dial(port, hostname).setNoDelay()
  const closed = once(socket, 'close').then(() => {})
  closed.catch(() => {})
  const readable = Readable.toWeb(socket)
  return {
    readable,
    writable: Writable.toWeb(socket),
    closed,
    async close() {
      socket.destroySoon()
      await closed
    },
  }
}
