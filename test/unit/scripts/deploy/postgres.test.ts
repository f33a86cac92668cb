import { Client } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { faultsOf, readSettings } from '../../../../scripts/deploy/settings.ts'
import { configOf, type Engine, paths } from '../../../../scripts/lib/config.ts'
import { addressBeside, addressIn } from '../../../../scripts/postgres/address.ts'

it.each(['staging', 'production'] as const)(
  'The settings of PostgreSQL lack what is to be filled in for %s',
  (env) => {
    const { missing, wrong } = faultsOf(readSettings(paths.postgresConfig, env))
    expect(missing.slice(0, 2)).toEqual([
      'The binding HYPERDRIVE has no id: fill in database_id (D1) or id (Hyperdrive).',
      'The placement names no region.',
    ])
    expect(wrong).toEqual([])
  },
)

/** What is the business of one database alone; what whoever deploys fills in; what wrangler tells of the file itself. */
const left = [
  ...['d1_databases', 'hyperdrive', 'placement', 'alias', 'build'],
  ...['routes', 'workers_dev'],
  ...['configPath', 'userConfigPath', 'definedEnvironments'],
]

/**
 * A configuration but for what is the business of its database. Of variables that whoever deploys fills in, the names; of flags, those
 * that the driver is not about.
 */
function common(engine: Engine, env: string): Record<string, unknown> {
  const config = unstable_readConfig({ config: configOf[engine], env }, { hideWarnings: true })
  const kept = Object.entries(config).filter(([name]) => !left.includes(name))
  const vars = Object.entries(config.vars ?? {})
    .filter(([name]) => name !== 'D1_REPLICATION')
    .map(([name, value]) => (env === '' ? `${name} = ${value}` : name))
  const flags = config.compatibility_flags.filter(
    (flag: string) => !/^(no_)?nodejs_compat/.test(flag),
  )
  return { ...Object.fromEntries(kept), compatibility_flags: flags, vars: vars.sort() }
}

it.each(['', 'staging', 'production'])(
  'wrangler.toml and wrangler.postgres.toml are alike but for the database: "%s"',
  (env) => {
    const wanted = common('d1', env)
    expect(wanted).toMatchObject({ compatibility_date: expect.any(String), keep_names: false })
    expect(common('postgres', env)).toEqual(wanted)
  },
)

describe('POSTGRES_URL', () => {
  it.each([
    'https://users:secret@db.example.com/users',
    'postgres://users:secret@db.example.com',
    'postgres://users:se/cret@db.example.com:port/users',
    'postgres://users:secret%@db.example.com/users',
    'postgres:///users?host=/tmp',
    'postgres://users:secret@%2Ftmp/users',
    'postgres://users:se,cret@a:5432,b:5432/users',
    'postgres://users:secret@a,b/users',
    'postgres://users:12#secret@db.example.com/users',
    'postgres://users:12?secret@db.example.com/users',
    'postgres://users:secret@db.example.com/%ff',
    'postgres://users:secret%ff@db.example.com/users',
    'postgres://users:secret@db.example.com/users/../..',
    'postgres://users:secret@db.example.com/./',
    'postgres://db.example.com?application_name=secret@b/users',
  ])('is refused where it is no address of one host, and nothing of it is repeated', (url) => {
    expect(() => addressIn({ POSTGRES_URL: url })).toThrow(/^POSTGRES_URL must be an address/)
    expect(() => addressIn({ POSTGRES_URL: url })).not.toThrow(/cret/)
  })

  it('is refused with a parameter that the service would not have, such as a search path, and names it', () => {
    const url = 'postgres://a:secret@db.example.com/users?options=-c%20search_path%3Dapp'
    expect(() => addressIn({ POSTGRES_URL: url })).toThrow(
      /^POSTGRES_URL has the parameter options,/,
    )
  })

  it.each([
    ['sslmode=require', { rejectUnauthorized: false }],
    ['sslmode=require&channel_binding=require', { rejectUnauthorized: false }],
    ['sslmode=verify-full', {}],
    ['sslrootcert=system', {}],
  ])('with %s is understood by the driver as by psql, without a warning', (parameters, ssl) => {
    const warn = vi.spyOn(process, 'emitWarning')
    const url = addressIn({ POSTGRES_URL: `postgres://a+b:c@db.example.com/x%2By?${parameters}` })
    expect(new Client(url)).toMatchObject({ user: 'a+b', database: 'x+y', ssl })
    expect(warn).not.toHaveBeenCalled()
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
