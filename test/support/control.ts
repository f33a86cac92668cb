import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Servers } from './server.ts'

/** What a test asks of the servers, which run in another process: the name of a method of theirs, and its arguments. */
export type Command = readonly [name: keyof Servers, ...args: readonly unknown[]]

/** Listens for {@link Command}s as JSON, on a free port of this machine. They are obeyed when the servers have started. */
export async function startControl(
  starting: Promise<Servers>,
): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    try {
      const [name, ...args] = (await json(request)) as Command
      const ask = (await starting)[name] as (...args: readonly unknown[]) => unknown
      response.end(JSON.stringify((await ask(...args)) ?? null))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}
