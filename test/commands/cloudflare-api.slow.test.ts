import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readOptions, workerOf } from '../../scripts/deploy/options.ts'
import { originOf } from '../../scripts/deploy/postgres.ts'
import { deploy } from '../../scripts/deploy/steps.ts'
import { literal } from '../../scripts/lib/sql.ts'
import { wrangler } from '../../scripts/lib/wrangler.ts'
import { databaseFrom } from '../../scripts/operate/choose.ts'
import { d1From } from '../../scripts/operate/database.ts'
import { completeSettings, fakeTools, newVersion } from '../unit/scripts/deploy/cloudflare.ts'
import { type CloudflareApi, startCloudflareApi } from './cloudflare-api.ts'

let folder: string
let api: CloudflareApi
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloudflare-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  api = await startCloudflareApi()
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', api.url)
  vi.stubEnv('CLOUDFLARE_API_TOKEN', 'token')
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', '0123456789abcdef0123456789abcdef')
  // Nobody is signed in there.
  vi.stubEnv('HOME', folder)
  vi.stubEnv('XDG_CONFIG_HOME', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await api.close()
})

describe('A deployment by wrangler', () => {
  it('makes the tables of an empty database, and gives a version no traffic, then all of it', async () => {
    const tools = fakeTools()
    await deploy(readOptions(['--env', 'production']), completeSettings, {
      ...tools,
      wrangler,
      commit: async () => ({ tag: 'c0ffee123456', message: '--no "quotes" are options' }),
    })
    expect(tools.lines).toContain(
      'Before this deployment the database stood at bookmark 00000001-restore-here',
    )
    expect(tools.lines).toContain('The database is what the migrations make.')
    expect(api.database.prepare('SELECT count(*) AS count FROM countries').get()).toEqual({
      count: 250,
    })
    expect(api.tags).toEqual(['c0ffee123456'])
    expect(tools.calls).toEqual([`smoke https://api.example.com ${newVersion}`])
    expect(api.shares).toEqual([{ [newVersion]: 0, [api.before]: 100 }, { [newVersion]: 100 }])
    expect(tools.lines.at(-1)).toContain(`npx wrangler rollback ${api.before} --env production`)
  })
})

it('Where Hyperdrive leads to is read as wrangler prints it', async () => {
  const where = workerOf({ env: 'production', engine: 'postgres' })
  expect(await originOf(wrangler, 'a76a99bc342644c6a3f8a2a5b1f8a0e1', where)).toEqual({
    scheme: 'postgresql',
    database: 'users',
    user: 'service',
  })
})

describe('The database of an operator at Cloudflare', () => {
  it('is refused where callers see the other one', async () => {
    api.binding = 'hyperdrive'
    await expect(databaseFrom({ env: 'production', remote: true })).rejects.toThrow(
      `The version ${api.before} has traffic and uses postgres: what callers see is not in the database of production.`,
    )
  })

  it('gets texts as they are', async () => {
    const text = "Kari's BEGIN TRANSACTION; COMMIT; Øst"
    const database = d1From({ env: 'production', remote: true })
    const statements = ['SELECT 1 AS one', `SELECT ${literal(text)} AS text`]
    expect(await database.query(statements)).toEqual([[{ one: 1 }], [{ text }]])
  })

  it('is out of reach where nobody is signed in, and one line says so', async () => {
    vi.stubEnv('CLOUDFLARE_API_TOKEN', undefined)
    await expect(databaseFrom({ env: 'production', remote: true })).rejects.toThrow(
      /^Nobody is signed in: npx wrangler login, or set CLOUDFLARE_API_TOKEN$/,
    )
  })
})
