import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A server on a port of this machine that the system chose. */
export async function occupyPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** Two ports that nothing listens on. They differ, since both are open at the same time before they are closed. */
export async function freePorts(): Promise<[number, number]> {
  const [one, other] = [await occupyPort(), await occupyPort()]
  await Promise.all([one, other].map(({ server }) => once(server.close(), 'close')))
  return [one.port, other.port]
}
