import { once } from 'node:events'
import { connect as dial, type Socket as NodeSocket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { connect as secure } from 'node:tls'

/*
 * Stands in for the platform's module `cloudflare:sockets` where code of the Worker runs in Node (vitest.config.ts). Certificates are not
 * checked: those of tests are signed by nobody.
 */

/** Connects to a server. */
export function connect({ hostname, port }: { hostname: string; port: number }): unknown {
  return socketOf(dial(port, hostname).setNoDelay())
}

function socketOf(socket: NodeSocket) {
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
    startTls() {
      return socketOf(
        secure({
          socket,
          ciphers: 'aNULL:@SECLEVEL=0',
          maxVersion: 'TLSv1.2',
          rejectUnauthorized: false,
        }),
      )
    },
  }
}
