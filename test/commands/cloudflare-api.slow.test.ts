import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { askWith } from '../../scripts/deploy/ask.ts'
import { migrate } from '../../scripts/deploy/database.ts'
import { readOptions, workerOf } from '../../scripts/deploy/options.ts'
import { demandNoCache } from '../../scripts/deploy/postgres.ts'
import { objectsQuery } from '../../scripts/deploy/schema.ts'
import { deploy } from '../../scripts/deploy/steps.ts'
import { wrangler } from '../../scripts/lib/wrangler.ts'
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

const askedOfD1 = () => api.requests.filter((request) => request.includes('/d1/'))

/** Deploys production; wrangler itself asks the API, and does what `byWrangler` names. */
async function deployProduction(byWrangler: RegExp, ...args: readonly string[]) {
  const tools = fakeTools()
  await deploy(readOptions(['--env', 'production', ...args]), completeSettings, {
    ...tools,
    wrangler: (...command) =>
      byWrangler.test(command.join(' ')) ? wrangler(...command) : tools.wrangler(...command),
    ask: askWith(),
    commit: async () => ({ tag: 'c0ffee123456', message: '--no "quotes" are options' }),
  })
  return tools
}

describe('A deployment by wrangler', () => {
  it('makes the tables of an empty database, and finds them as they should be', async () => {
    const { lines, calls } = await deployProduction(/^d1 /)
    expect(lines).toContain(
      'Before this deployment the database stood at bookmark 00000001-restore-here',
    )
    expect(lines).toContain('The database is what the migrations make.')
    expect(api.database.prepare('SELECT count(*) AS count FROM countries').get()).toEqual({
      count: 250,
    })
    expect(calls.at(-1)).toBe(`smoke https://api.example.com ${newVersion}`)
  })

  it("goes out with --code-only while D1's management API fails, without asking it anything", async () => {
    api.modes.d1 = 'fails'
    const { calls } = await deployProduction(/^deploy (?!--dry-run)/, '--code-only')
    expect(calls).toContain('migrations since badcafe12345')
    expect(askedOfD1()).toEqual([])
    expect(api.tags.at(-1)).toBe('c0ffee123456')
  })
})

describe('What Hyperdrive does, as wrangler tells it', () => {
  it('is read with where it leads to', async () => {
    const id = 'a76a99bc342644c6a3f8a2a5b1f8a0e1'
    const { print } = fakeTools()
    const where = workerOf({ env: 'production', engine: 'postgres' })
    expect(await demandNoCache({ ask: askWith(), print }, id, where)).toEqual({
      scheme: 'postgresql',
      database: 'users',
      user: 'service',
    })
    expect(api.requests.at(-1)).toMatch(`/hyperdrive/configs/${id}`)
  })

  it('cannot be told where the token lacks the right, which is no reason to stop', async () => {
    api.modes.others = 'forbids'
    const { print, lines } = fakeTools()
    expect(await demandNoCache({ ask: askWith(), print }, 'a'.repeat(32), [])).toEqual({})
    expect(lines).toEqual([expect.stringMatching(/^Warning: this token may not see/)])
  })
})

/** Migrates by wrangler; gives what stopped it, if anything did. Tools read the database straight. */
async function complaintOfMigrating(where: readonly string[], migrations?: string) {
  const { print, wrangler: fake } = fakeTools()
  const ask = async (...args: readonly string[]) =>
    args[1] === 'execute'
      ? JSON.stringify([{ results: api.database.prepare(objectsQuery).all() }])
      : fake(...args)
  const migrated = migrate({ wrangler, ask, print }, where, migrations)
  return migrated.then(
    () => undefined,
    (error: Error) => error.message,
  )
}

describe('Migrations by wrangler', () => {
  const production = ['--env', 'production']

  it('pass an endpoint that cuts SQL at every semicolon', async () => {
    api.modes.d1 = 'splits'
    expect(await complaintOfMigrating(production)).toBeUndefined()
  })

  it('stop at a trigger there, and what it has left behind is named', async () => {
    api.modes.d1 = 'splits'
    const migrations = join(folder, 'migrations')
    const config = join(folder, 'wrangler.toml')
    await mkdir(migrations)
    await writeFile(
      join(migrations, '0001_trigger.sql'),
      `CREATE TABLE a (id text);
      CREATE TRIGGER counted AFTER INSERT ON a BEGIN DELETE FROM a; END;
      CREATE INDEX a_id ON a (id);`,
    )
    await writeFile(
      config,
      'name = "users"\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "users"\ndatabase_id = "local"',
    )
    const complaint = await complaintOfMigrating(['--config', config], migrations)
    expect(complaint).toContain('incomplete input: SQLITE_ERROR [code: 7500]')
    expect(complaint?.match(/^ {2}(?:missing|not|different).*$/gm)).toEqual([
      '  missing: migration 0001_trigger.sql',
      '  missing: index a_id',
      '  missing: trigger counted',
    ])
  })

  it.each([
    ['is refused', 'rejects', 'missing: table countries'],
    ['is half applied', 'halves', 'missing: table counters'],
  ] as const)(
    'stop the deployment where one %s, and tell the state of the database',
    async (_, mode, difference) => {
      api.modes.d1 = mode
      const complaint = await complaintOfMigrating(production)
      expect(complaint).toContain('incomplete input: SQLITE_ERROR [code: 7500]')
      expect(complaint).toContain(`  ${difference}\n`)
      expect(complaint?.includes('missing: table countries')).toBe(mode === 'rejects')
      expect(complaint).toContain('--env production --bookmark=0000-restore-here')
    },
  )
})

/** What is said where Cloudflare has no answer. */
async function sentence(...args: readonly string[]): Promise<string> {
  const error = await askWith()(...args).catch((error: Error) => error)
  return error instanceof Error ? error.message : ''
}

describe('Where Cloudflare has no answer', () => {
  it.each([
    ['the API fails', 'fails', /^Cloudflare's API answers 500: the fault is not here/],
    ['the API refuses', 'forbids', /^Cloudflare's API refuses \(403\): the token is wrong/],
  ] as const)('it is said that %s', async (_, mode, words) => {
    api.modes.others = mode
    expect(await sentence('whoami', '--json')).toMatch(words)
  })

  it("it is said that D1's management API fails, and how a fix can go out", async () => {
    api.modes.d1 = 'fails'
    const said = await sentence('d1', 'time-travel', 'info', 'DB', '--env', 'production', '--json')
    expect(said).toMatch(
      /^D1's management API answers 500: .*\nIf the service itself answers, .*--code-only\n/,
    )
  })

  it('it is said that the API cannot be reached, where nothing is there', async () => {
    const gone = await startCloudflareApi()
    await gone.close()
    vi.stubEnv('CLOUDFLARE_API_BASE_URL', gone.url)
    expect(await sentence('whoami', '--json')).toMatch(
      /^Cloudflare's API cannot be reached: look at/,
    )
  })

  it('it is said that the API cannot be reached, where it does not answer in time', async () => {
    api.modes.others = 'hangs'
    const patience = new AbortController()
    const asked = askWith(() => patience.signal)('whoami', '--json')
    asked.catch(() => undefined)
    await vi.waitFor(() => expect(api.requests).toHaveLength(1), { timeout: 30_000 })
    patience.abort()
    await expect(asked).rejects.toThrow(/^Cloudflare's API cannot be reached: no answer in 60 s$/)
  })

  it('it is said that nobody is signed in', async () => {
    vi.stubEnv('CLOUDFLARE_API_TOKEN', undefined)
    expect(await sentence('whoami', '--json')).toMatch(/^Nobody is signed in: npx wrangler login/)
    expect(api.requests).toEqual([])
  })
})
