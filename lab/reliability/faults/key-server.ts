import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JWK } from 'jose'
import type { KeyMode } from './rows.ts'

/** The issuer's key set, one for each Worker, so that each can be at fault by itself. */
export interface KeyServer {
  readonly urlOf: (worker: string) => string
  readonly set: (worker: string, mode: KeyMode) => void
  /** Requests for the key set of a Worker since the last call. */
  readonly takeCount: (worker: string) => number
  readonly close: () => void
}

/**
 * Starts it, on a free port of this machine.
 *
 * @param keys what `good` and `rotated` publish
 */
export async function startKeyServer(
  keys: Readonly<Record<'good' | 'rotated', JWK>>,
): Promise<KeyServer> {
  const modes = new Map<string, KeyMode>()
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const [, worker = '', detour] = (request.url ?? '').split('/')
    if (detour === undefined) {
      counts.set(worker, (counts.get(worker) ?? 0) + 1)
    }
    answer(detour === undefined ? (modes.get(worker) ?? 'good') : 'good', response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  function answer(mode: KeyMode, response: ServerResponse): void {
    const publish = (...published: readonly unknown[]): void => {
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ keys: published }))
    }
    switch (mode) {
      case 'good':
      case 'rotated':
        publish(keys[mode])
        return
      case 'empty':
        publish()
        return
      case 'many':
        publish(
          keys.good,
          ...Array.from({ length: 99 }, (_, n) => ({ ...keys.good, kid: `k${n}` })),
        )
        return
      case 'huge':
        publish(keys.good, 'x'.repeat(1_000_000))
        return
      case 'html':
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Maintenance</h1>')
        return
      case 'redirect':
        response.writeHead(302, { Location: '/elsewhere/keys' }).end()
        return
      case 'error':
        response.writeHead(500).end('key store: disk failure')
        return
      case 'refused':
        response.destroy()
        return
      case 'hang':
    }
  }

  return {
    urlOf: (worker) => `http://127.0.0.1:${port}/${worker}`,
    set: (worker, mode) => void modes.set(worker, mode),
    takeCount(worker) {
      const count = counts.get(worker) ?? 0
      counts.delete(worker)
      return count
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
