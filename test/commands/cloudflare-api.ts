import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { newVersion } from '../unit/scripts/deploy/cloudflare.ts'

/** An answer: its status, and the result or the error. */
type Answer = readonly [status: number, content: unknown]

const databaseId = '0b9b0c5e-3f2e-4d0c-9d7c-2f1f0c3b5a61'
const before = '99999999-2222-4333-8444-555555555555'

/**
 * Starts a stand-in for Cloudflare's API on this machine. Its D1 is a SQLite database, so that what it answers of that is true. It has the
 * table that the platform makes for itself.
 */
export async function startCloudflareApi() {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID')
  const previews: { worker: string; bindings: unknown }[] = []
  const tags: string[] = []
  const readOnly: string[] = []
  const shares: Readonly<Record<string, number>>[] = []
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://stand-in')
    const body = await text(request)
    const [, tag] = /"workers\/tag":"([^"]*)"/.exec(body) ?? []
    if (tag !== undefined) {
      tags.push(tag)
      readOnly.push(/"READ_ONLY","type":"plain_text","text":"([^"]*)"/.exec(body)?.[1] ?? '')
    }
    const [, worker] = /\/scripts\/([^/]+)\/edge-preview$/.exec(pathname) ?? []
    if (worker !== undefined) {
      const [, metadata = ''] = /name="metadata"\r\n(?:.+\r\n)*\r\n(.*)\r\n/.exec(body) ?? []
      previews.push({ worker, bindings: JSON.parse(metadata).bindings })
    }
    if (request.method === 'POST' && pathname.endsWith('/deployments')) {
      const { versions }: { versions: { version_id: string; percentage: number }[] } =
        JSON.parse(body)
      shares.push(
        Object.fromEntries(versions.map(({ version_id, percentage }) => [version_id, percentage])),
      )
    }
    const [status, content] = pathname.includes('/d1/')
      ? answerOfD1(database, pathname, body)
      : answerOfAccount(pathname, api.binding)
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const api = {
    /** What `CLOUDFLARE_API_BASE_URL` is to be. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The type of the binding to the database of the version that is live, whose id is `before`. */
    binding: 'd1' as 'd1' | 'hyperdrive',
    ...{ before, database, databaseId },
    /** Of each Worker that a preview was made of, of each version that was uploaded, and of each deployment. */
    ...{ previews, tags, readOnly, shares },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
      database.close()
    },
  }
  return api
}

/** Time Travel, queries, and what else is asked about a database. */
function answerOfD1(database: DatabaseSync, path: string, body: string): Answer {
  if (path.endsWith('/time_travel/bookmark')) {
    return [200, { bookmark: '00000001-restore-here' }]
  }
  if (!path.endsWith('/query')) {
    return [200, { uuid: databaseId, name: 'users', version: 'beta' }]
  }
  const { sql }: { sql: string } = JSON.parse(body)
  const meta = { duration: 1 }
  try {
    if (/^\s*(SELECT|UPDATE|DELETE)/i.test(sql)) {
      const statements = sql.split(';\n')
      const rows = statements.map((each) => database.prepare(each).all())
      return [200, rows.map((results) => ({ results, success: true, meta }))]
    }
    // The endpoint is reported to cut SQL at every semicolon, also within a trigger.
    for (const part of sql.split(';').filter((each) => each.trim() !== '')) {
      database.exec(part)
    }
    return [200, [{ results: [], success: true, meta }]]
  } catch (error) {
    return [400, { code: 7500, message: `${(error as Error).message}: SQLITE_ERROR` }]
  }
}

/** What is asked about the account, and while a version is deployed. */
function answerOfAccount(path: string, binding: string): Answer {
  const versionOf = (id = '') => ({
    id,
    number: 1,
    annotations: { 'workers/tag': 'badcafe12345' },
    metadata: { author_email: 'a@example.com', created_on: '2026-11-21T08:00:00Z' },
    resources: { bindings: [{ type: binding }], script: {}, script_runtime: {} },
  })
  const version = versionOf(newVersion)
  const answers: readonly (readonly [end: RegExp, result: unknown])[] = [
    [/\/tokens\/verify$/, { id: 'token', status: 'active' }],
    [/\/user$/, { id: 'user', email: 'a@example.com' }],
    [/\/(accounts|memberships|schedules)$/, []],
    [/\/secrets$/, [{ name: 'CARD_KEYS', type: 'secret_text' }]],
    [
      /\/deployments$/,
      {
        id: '88888888-2222-4333-8444-555555555555',
        deployments: [{ id: 'now', versions: [{ version_id: before, percentage: 100 }] }],
      },
    ],
    // wrangler.toml names no database yet: that of the version which is live stays.
    [/\/settings$/, { bindings: [{ type: 'd1', name: 'DB', id: databaseId }], tags: [] }],
    [/\/versions\/[^/]+$/, versionOf(path.split('/').at(-1))],
    [/\/versions$/, { ...version, items: [newVersion, before].map(versionOf), startup_time_ms: 1 }],
    [
      /\/hyperdrive\/configs\/[0-9a-f]{32}$/,
      {
        name: 'users',
        origin: { scheme: 'postgresql', database: 'users', user: 'service' },
        caching: { disabled: true },
      },
    ],
    [
      /\/services\/[^/]+$/,
      { default_environment: { script: { last_deployed_from: 'wrangler', migration_tag: 'v1' } } },
    ],
    [/\/assets-upload-session$/, { jwt: 'a.b.c', buckets: [] }],
    [/\/scripts\/[^/]+$/, { ...version, startup_time_ms: 1, deployment_id: newVersion }],
    [/\/workers\/workers\/[^/]+$/, { subdomain: { enabled: true, previews_enabled: false } }],
    [/\/edge-preview$/, { token: 'session', preview_token: 'preview' }],
    [/\/subdomain$/, { subdomain: 'somebody', enabled: true, previews_enabled: false }],
  ]
  return [200, answers.find(([end]) => end.test(path))?.[1] ?? {}]
}
