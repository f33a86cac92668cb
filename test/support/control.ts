import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { SqlStatement } from './back-door.ts'
import type { Servers, Vars } from './server.ts'

/** What a test can ask of the servers, which run in another process; each names the Worker by its variables. */
export type Command =
  | { readonly do: 'build' }
  | { readonly do: 'start'; readonly vars: Vars }
  | { readonly do: 'batch'; readonly vars: Vars; readonly statements: readonly SqlStatement[] }
  | { readonly do: 'logs'; readonly vars: Vars; readonly holding: string }
  | { readonly do: 'runSchedule'; readonly vars: Vars }

/** Listens for {@link Command}s as JSON, on a free port of this machine. They are obeyed when the servers have started. */
export async function startControl(
  starting: Promise<Servers>,
): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    try {
      const answer = (await obey(await starting, await commandOf(request))) ?? null
      response.end(JSON.stringify(answer))
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

async function commandOf(request: IncomingMessage): Promise<Command> {
  return (await json(request)) as Command
}

async function obey(servers: Servers, command: Command): Promise<unknown> {
  switch (command.do) {
    case 'build':
      return servers.build
    case 'start':
      return servers.urlOf(command.vars)
    case 'logs':
      return (await servers.logsOf(command.vars)).filter((line) => line.includes(command.holding))
    case 'runSchedule': {
      const worker = await servers.workerOf(command.vars)
      return (await worker.scheduled({ cron: '' })).outcome
    }
    case 'batch': {
      const db = await servers.databaseOf(command.vars)
      return db(command.statements)
    }
  }
}
