import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { complaint } from './complaint.ts'

/**
 * Listens on a port of this machine for a moment.
 *
 * @param wanted one that the system picks if 0
 * @returns the port, on which nothing listens
 * @throws the error of `listen` when something does
 */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * @param variable the environment variable by which another port can be had
 * @throws a complaint when something listens on the port already
 */
export async function demandFreePort(variable: string, port: number): Promise<void> {
  await freePort(port).catch((error: NodeJS.ErrnoException) => {
    const fault = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be had (${error.code})`
    throw complaint(`Port ${port} ${fault}: set ${variable} to another.`, error)
  })
}
