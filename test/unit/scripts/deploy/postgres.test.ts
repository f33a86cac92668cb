import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { faultsOf, readSettings } from '../../../../scripts/deploy/settings.ts'
import { configOf, type Engine, paths } from '../../../../scripts/lib/config.ts'
import { addressBeside, addressIn } from '../../../../scripts/postgres/address.ts'
import { completeSettings, postgresSettings, run, type Trouble } from './cloudflare.ts'

const line = '--env production --database postgres'
const of = '--env production --config wrangler.postgres.toml'
const postgresUrl = 'postgres://a:b@127.0.0.1:1/users'
const deployed = (trouble: Trouble = {}, more = '') =>
  run(`${line}${more}`, { liveBinding: 'hyperdrive', postgresUrl, ...trouble }, postgresSettings)

describe('A deployment on PostgreSQL', () => {
  it('asks for the address of the database before anything else', async () => {
    const { calls, complaint } = await run(line, {}, postgresSettings)
    expect(complaint).toMatch(/^Which database\? Set POSTGRES_URL/)
    expect(calls).toEqual([])
  })

  it('needs no address for a dry run', async () => {
    const { calls, complaint } = await run(`${line} --dry-run`, {}, postgresSettings)
    expect(complaint).toBeUndefined()
    expect(calls).toEqual([`deploy --dry-run ${of}`])
  })

  it.each([
    ['is on by default', {}],
    ['is on', { caching: { disabled: false, max_age: 60 } }],
  ])('refuses a Hyperdrive whose cache %s, before it migrates', async (_, hyperdrive) => {
    const { calls, complaint } = await deployed({ hyperdrive })
    expect(complaint).toMatch(
      /nobody would read their own writes: npx wrangler hyperdrive update \w+ --caching-disabled$/,
    )
    expect(calls.at(-1)).toBe(`hyperdrive get a76a99bc342644c6a3f8a2a5b1f8a0e1 ${of}`)
  })
})

describe('One database in the place of another', () => {
  it.each([
    [line, 'd1', postgresSettings, 'uses d1, and this one postgres'],
    ['--env production', 'hyperdrive', completeSettings, 'uses postgres, and this one d1'],
  ])('is refused unless it is meant: %s', async (args, liveBinding, settings, words) => {
    const { calls, complaint } = await run(args, { liveBinding, postgresUrl }, settings)
    expect(complaint).toContain(words)
    expect(calls.at(-1)).toMatch(/^versions view/)
  })

  it('is refused where nobody can tell which version is live', async () => {
    const trouble = { status: new Error('A request to the Cloudflare API failed: 503') }
    const { calls, complaint } = await deployed(trouble)
    expect(complaint).toBe('A request to the Cloudflare API failed: 503')
    expect(calls.at(-1)).toMatch(/^deployments status/)
  })

  it('goes on with --other-database', async () => {
    const { complaint } = await deployed({ liveBinding: 'd1' }, ' --other-database')
    expect(complaint).toMatch(/^The database users at 127\.0\.0\.1:1 cannot be reached/)
  })
})

describe('The settings of PostgreSQL', () => {
  it.each(['staging', 'production'] as const)('lack what is to be filled in for %s', (env) => {
    const { missing, wrong } = faultsOf(readSettings(paths.postgresConfig, env))
    expect(missing.slice(0, 2)).toEqual([
      'The Hyperdrive HYPERDRIVE has no id.',
      'The placement names no region.',
    ])
    expect(wrong).toEqual([])
  })

  it('have no fault when all is filled in, and one where an id cannot be one', () => {
    expect(faultsOf(postgresSettings)).toEqual({ missing: [], wrong: [] })
    const wrong = { ...postgresSettings, hyperdrives: { HYPERDRIVE: 'local' } }
    expect(faultsOf(wrong).wrong).toEqual(['The id of the Hyperdrive HYPERDRIVE is none: local'])
  })
})

/** What is the business of one database alone. */
const ownOf = [
  'compatibility_flags',
  'd1_databases',
  'hyperdrive',
  'placement',
  'alias',
  'build',
  'triggers',
]
/** What whoever deploys fills in: they use one of the two files. */
const filledIn = ['routes', 'workers_dev']
/** What wrangler tells of the file itself. */
const aboutFile = ['configPath', 'userConfigPath', 'definedEnvironments']

/** A configuration but for what is the business of its database. Of variables, the names. */
function common(engine: Engine, env: string): Record<string, unknown> {
  const config = unstable_readConfig({ config: configOf[engine], env }, { hideWarnings: true })
  const left = [...ownOf, ...filledIn, ...aboutFile]
  const kept = Object.entries(config).filter(([name]) => !left.includes(name))
  const vars = Object.keys(config.vars ?? {}).filter((name) => name !== 'D1_REPLICATION')
  return { ...Object.fromEntries(kept), vars: vars.sort() }
}

describe('wrangler.toml and wrangler.postgres.toml', () => {
  it.each(['', 'staging', 'production'])('are alike but for the database: "%s"', (env) => {
    const wanted = common('d1', env)
    expect(wanted).toMatchObject({ compatibility_date: expect.any(String), keep_names: false })
    expect(common('postgres', env)).toEqual(wanted)
  })
})

describe('POSTGRES_URL', () => {
  it.each([
    'users:secret@db.example.com/users',
    'https://users:secret@db.example.com/users',
    'postgres://users:secret@db.example.com',
    'postgres://users:secret#@db.example.com/users',
    'postgres://users:se/cret@db.example.com:port/users',
    'postgres://users:secret%@db.example.com/users',
  ])('is refused where it is no address, and nothing of it is repeated', (url) => {
    expect(() => addressIn({ POSTGRES_URL: url })).toThrow(/^POSTGRES_URL must be an address/)
    expect(() => addressIn({ POSTGRES_URL: url })).not.toThrow(/cret/)
  })

  it('leads nowhere else where rows of a D1 on this machine are moved', () => {
    const here = { isLocal: true }
    const url = 'postgres://users:secret@127.0.0.1:5432/users'
    expect(addressBeside(here, {})).toBeUndefined()
    expect(addressBeside(here, { POSTGRES_URL: url })).toBe(url)
    expect(() => addressBeside(here, { POSTGRES_URL: '' })).toThrow(/^Which database\? Set/)
    expect(() =>
      addressBeside(here, { POSTGRES_URL: 'postgres://users:secret@db.example.com/users' }),
    ).toThrow(
      /^POSTGRES_URL leads to users at db\.example\.com, and the D1 is on this machine: say --env/,
    )
  })
})
