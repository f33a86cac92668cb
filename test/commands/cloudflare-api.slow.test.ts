import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { inCommit } from '../../scripts/deploy/commit.ts'
import { readOptions, workerOf } from '../../scripts/deploy/options.ts'
import { originOf } from '../../scripts/deploy/postgres.ts'
import { deploy } from '../../scripts/deploy/steps.ts'
import { paths } from '../../scripts/lib/config.ts'
import { openD1 } from '../../scripts/lib/d1.ts'
import { outputOf } from '../../scripts/lib/npm.ts'
import { wrangler } from '../../scripts/lib/wrangler.ts'
import { databaseFrom } from '../../scripts/operate/choose.ts'
import { completeSettings, fakeTools, newVersion } from '../unit/scripts/deploy/cloudflare.ts'
import { startCloudflareApi } from './cloudflare-api.ts'

let folder: string
let api: Awaited<ReturnType<typeof startCloudflareApi>>
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

it('A deployment by wrangler makes the tables of an empty database, and gives a version no traffic, then all of it', async () => {
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

it('The brake uploads another commit than this one by wrangler, refuses writes by it, and migrates nothing', async () => {
  const commit = (await outputOf(paths.root, 'git', 'rev-parse', 'HEAD')).trim()
  const tools = fakeTools()
  await deploy(readOptions(['--env', 'production', '--read-only', 'on']), completeSettings, {
    ...tools,
    wrangler,
    inCommit: (_, work) => inCommit(commit, work),
  })
  expect(api.readOnly).toEqual(['true'])
  expect(api.shares).toEqual([{ [newVersion]: 100 }])
  expect(api.database.prepare('SELECT name FROM sqlite_schema').all()).toHaveLength(1)
  expect(await outputOf(paths.root, 'git', 'worktree', 'list')).not.toContain('commit-')
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

  it('is reached by a preview of a Worker of another name, which has this database alone', async () => {
    const config = join(folder, 'wrangler.toml')
    const toml = await readFile(paths.wranglerConfig, 'utf8')
    await writeFile(
      config,
      toml.replaceAll('database_id = ""', `database_id = "${api.databaseId}"`),
    )
    const { binding, close } = await openD1('production', true, { config })
    expect(api.previews).toEqual([
      {
        worker: 'users-countries-currencies-production-operator',
        bindings: [{ name: 'DB', type: 'd1', id: api.databaseId, raw: true }],
      },
    ])
    // Nothing answers at the address of the preview here.
    await expect(binding.prepare('SELECT 1').first()).rejects.toThrow()
    await close()
  })

  it('is out of reach where nobody is signed in, and one line says so', async () => {
    vi.stubEnv('CLOUDFLARE_API_TOKEN', undefined)
    await expect(databaseFrom({ env: 'production', remote: true })).rejects.toThrow(
      /^Nobody is signed in: npx wrangler login, or set CLOUDFLARE_API_TOKEN$/,
    )
  })
})
