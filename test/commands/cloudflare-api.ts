import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { newVersion } from '../unit/scripts/deploy/cloudflare.ts'

/**
 * How a part of the API answers. A migration is cut at every semicolon by `splits`, as D1's endpoint is reported to do; `halves`
 * runs half of it, and `rejects` nothing, before they answer as that endpoint does to a trigger.
 */
type Mode = 'accepts' | 'splits' | 'halves' | 'rejects' | 'fails' | 'forbids' | 'hangs'

/** A stand-in for Cloudflare's API on this machine. Its D1 is a SQLite database, so that what it answers of that is true. */
export interface CloudflareApi {
  /** What `CLOUDFLARE_API_BASE_URL` is to be. */
  readonly url: string
  /** How D1's part answers, and how the others do. */
  readonly modes: { d1: Mode; others: Mode }
  /** Each request that came: method and path. */
  readonly requests: string[]
  readonly database: DatabaseSync
  /** The tag of the version that is live, and then of each that is deployed. */
  readonly tags: string[]
  readonly close: () => Promise<void>
}

/** An answer: its status, and the result or the error. */
type Answer = readonly [status: number, content: unknown]

/** What the API answers to everything in these modes. The 500 is D1's own of 2026-09-01 (workers-sdk#14731). */
const refusals: Partial<Record<Mode, Answer>> = {
  fails: [500, { code: 7500, message: 'internal error; reference = e_0123' }],
  forbids: [403, { code: 9109, message: 'Unauthorized to access requested resource' }],
}

/** Starts the stand-in, with a database that has the table that the platform makes for itself. */
export async function startCloudflareApi(port = 0): Promise<CloudflareApi> {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID')
  const modes: CloudflareApi['modes'] = { d1: 'accepts', others: 'accepts' }
  const requests: string[] = []
  const tags: string[] = ['badcafe12345']
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://stand-in')
    requests.push(`${request.method} ${pathname}`)
    const body = await text(request)
    const isD1 = pathname.includes('/d1/')
    const mode = isD1 ? modes.d1 : modes.others
    if (mode === 'hangs') {
      return
    }
    const [, tag] = /"workers\/tag":"([^"]*)"/.exec(body) ?? []
    if (tag !== undefined) {
      tags.push(tag)
    }
    const account = () => answerOfAccount(pathname, tags.at(-1))
    const [status, content] =
      refusals[mode] ?? (isD1 ? answerOfD1(database, pathname, body, mode) : account())
    const success = status < 400
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(
      JSON.stringify(
        success
          ? { success, errors: [], messages: [], result: content }
          : { success, errors: [content], messages: [], result: null },
      ),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    modes,
    requests,
    database,
    tags,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
      database.close()
    },
  }
}

/** Time Travel, queries, and what else is asked about a database. */
function answerOfD1(database: DatabaseSync, path: string, body: string, mode: Mode): Answer {
  if (path.endsWith('/time_travel/bookmark')) {
    return [200, { bookmark: '00000001-restore-here' }]
  }
  if (!path.endsWith('/query')) {
    return [200, { uuid: '0b9b0c5e-3f2e-4d0c-9d7c-2f1f0c3b5a61', name: 'users', version: 'beta' }]
  }
  const { sql }: { sql: string } = JSON.parse(body)
  const meta = { duration: 1 }
  try {
    if (/^\s*SELECT/i.test(sql)) {
      return [200, [{ results: database.prepare(sql).all(), success: true, meta }]]
    }
    for (const part of partsOf(sql, mode)) {
      database.exec(part)
    }
    return [200, [{ results: [], success: true, meta }]]
  } catch (error) {
    return [400, { code: 7500, message: `${(error as Error).message}: SQLITE_ERROR` }]
  }
}

/** What is run of SQL, one after the other. A part that ends within a statement is what SQLite calls an incomplete input. */
function partsOf(sql: string, mode: Mode): readonly string[] {
  const statements = sql.split(';').filter((statement) => statement.trim() !== '')
  if (mode === 'splits') {
    return statements
  }
  const isMigration = statements.length > 1
  const half = mode === 'halves' ? statements.slice(0, statements.length / 2) : []
  return isMigration && mode !== 'accepts' ? [...half, 'CREATE TABLE'] : [sql]
}

/** What is asked about the account, and while a version is deployed. */
function answerOfAccount(path: string, tag: string | undefined): Answer {
  const version = { id: newVersion, annotations: { 'workers/tag': tag }, metadata: {} }
  const answers: readonly (readonly [end: RegExp, result: unknown])[] = [
    [/\/tokens\/verify$/, { id: 'token', status: 'active' }],
    [/\/user$/, { id: 'user', email: 'a@example.com' }],
    [/\/(accounts|memberships|schedules)$/, []],
    [/\/secrets$/, [{ name: 'CARD_KEYS', type: 'secret_text' }]],
    [
      /\/deployments$/,
      {
        deployments: [{ id: newVersion, versions: [{ version_id: newVersion, percentage: 100 }] }],
      },
    ],
    [/\/versions\/[^/]+$/, version],
    [/\/services\/[^/]+$/, { default_environment: { script: { last_deployed_from: 'wrangler' } } }],
    [/\/assets-upload-session$/, { jwt: 'a.b.c', buckets: [] }],
    [/\/scripts\/[^/]+$/, { ...version, startup_time_ms: 1, deployment_id: newVersion }],
    [/\/workers\/workers\/[^/]+$/, { subdomain: { enabled: true, previews_enabled: false } }],
    [/\/subdomain$/, { subdomain: 'somebody', enabled: true, previews_enabled: false }],
  ]
  return [200, answers.find(([end]) => end.test(path))?.[1] ?? {}]
}
