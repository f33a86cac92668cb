import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'

/**
 * How a part of the API answers. `splits` cuts SQL at every semicolon, as D1's endpoint is reported to do; `rejects` applies nothing
 * of a migration, and `halves` half of it, before they answer as that endpoint does to a trigger.
 */
export type Mode = 'accepts' | 'splits' | 'rejects' | 'halves' | 'fails' | 'forbids' | 'hangs'

/** A stand-in for Cloudflare's API on this machine. Its D1 is a SQLite database, so that what it answers of that is true. */
export interface CloudflareApi {
  /** What `CLOUDFLARE_API_BASE_URL` is to be. */
  readonly url: string
  /** Method and path of each request. */
  readonly requests: string[]
  readonly database: DatabaseSync
  /** Of the endpoints of D1, and of all others. */
  readonly modes: { d1: Mode; others: Mode }
  readonly close: () => Promise<void>
}

/** An answer of the API: its status, and what it is or what is wrong. */
type Answer = readonly [status: number, result: unknown]

/** Starts the stand-in. Its database has the tables that the platform makes for itself. */
export async function startCloudflareApi(): Promise<CloudflareApi> {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID')
  const modes: CloudflareApi['modes'] = { d1: 'accepts', others: 'accepts' }
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    requests.push(`${request.method} ${path}`)
    const body = await text(request)
    const isD1 = path.includes('/d1/')
    const mode = isD1 ? modes.d1 : modes.others
    if (mode !== 'hangs') {
      console.log(request.method, path, body.slice(0, 200))
      send(response, refusals[mode] ?? (isD1 ? d1(path, body) : account(path)))
    }
  })
  const d1 = (path: string, body: string): Answer => {
    if (path.endsWith('/time_travel/bookmark')) {
      return [200, { bookmark: '00000001-restore-here' }]
    }
    return path.endsWith('/query')
      ? query(database, JSON.parse(body).sql, modes.d1)
      : [200, { uuid: '0b9b0c5e-3f2e-4d0c-9d7c-2f1f0c3b5a61', name: 'users' }]
  }
  server.listen(Number(process.argv[2] ?? 0), '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    database,
    modes,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      database.close()
    },
  }
}

/** What the API answers to everything in these modes. The 500 is what D1's management API answered on 2026-09-01. */
const refusals: Partial<Record<Mode, Answer>> = {
  fails: [500, { code: 7500, message: 'internal error; reference = e_0123' }],
  forbids: [403, { code: 9109, message: 'Unauthorized to access requested resource' }],
}

/** Runs SQL as the endpoint `/query` does. */
function query(database: DatabaseSync, sql: string, mode: Mode): Answer {
  const statements = sql.split(';').filter((statement) => statement.trim() !== '')
  const incomplete: Answer = [400, { code: 7500, message: 'incomplete input: SQLITE_ERROR' }]
  try {
    if (statements.length === 1) {
      return [200, [{ results: database.prepare(sql).all(), success: true, meta: { duration: 1 } }]]
    }
    if (mode === 'rejects') {
      return incomplete
    }
    const half = statements.slice(0, statements.length / 2)
    const parts = mode === 'splits' ? statements : mode === 'halves' ? half : [sql]
    for (const part of parts) {
      database.exec(part)
    }
  } catch (error) {
    return [400, { code: 7500, message: `${(error as Error).message}: SQLITE_ERROR` }]
  }
  return mode === 'halves' ? incomplete : [200, [{ results: [], success: true, meta: {} }]]
}

/** What the endpoints of the account answer. */
function account(path: string): Answer {
  const [, found] =
    Object.entries(answers).find(([end]) => path.endsWith(end)) ?? ([] as undefined[])
  return [200, found ?? {}]
}

const answers: Readonly<Record<string, unknown>> = {
  '/user/tokens/verify': { id: 'token', status: 'active' },
  '/user': { id: 'user', email: 'a@example.com' },
  '/accounts': [{ id: '0123456789abcdef0123456789abcdef', name: 'Somebody' }],
  '/memberships': [],
}

function send(response: ServerResponse, [status, result]: Answer): void {
  const isGood = status < 400
  const errors = isGood ? [] : [result]
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(
    JSON.stringify({ success: isGood, errors, messages: [], result: isGood ? result : null }),
  )
}
