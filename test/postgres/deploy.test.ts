import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { migratePostgres } from '../../scripts/deploy/postgres.ts'
import { migrationsIn } from '../../scripts/deploy/schema.ts'
import { paths } from '../../scripts/lib/config.ts'
import { connected } from '../../scripts/postgres/client.ts'
import { postgresSettings, run, type Trouble } from '../unit/scripts/deploy/cloudflare.ts'
import { temporaryFolder } from '../unit/temporary-folder.ts'
import { type OwnedDatabase, ownedDatabase } from './owned-database.ts'
import { creation, databaseAt, storeAt } from './stores.ts'

let database: OwnedDatabase
beforeAll(async () => {
  database = await ownedDatabase()
})
afterAll(() => database.drop())

const nameIn = (url: string) => new URL(url).pathname.slice(1)

/** Deploys to an account that is made up, with a database that is not. */
async function deployed(trouble: Trouble = {}) {
  const { url, service } = database
  const made = await run(
    '--env production --database postgres',
    {
      postgresUrl: url,
      liveBinding: 'hyperdrive',
      hyperdrive: {
        caching: { disabled: true },
        origin: { database: nameIn(url), user: service.name },
      },
      ...trouble,
    },
    postgresSettings,
  )
  const told = [...made.lines, ...made.calls, made.complaint].join('\n')
  expect(told).not.toContain(new URL(url).password)
  return made
}

describe('A deployment on PostgreSQL', () => {
  it('tells the time to restore to, and makes the tables of an empty database', async () => {
    const { lines, complaint } = await deployed()
    expect(complaint).toBeUndefined()
    const migrations = migrationsIn(paths.postgresMigrations).map(({ name }) => name.slice(0, -4))
    expect(lines).toContain(`Migrations applied: ${migrations.join(', ')}`)
    const [before = ''] = lines.filter((line) => line.startsWith('Before this deployment'))
    expect(before).toMatch(/ it was \d{4}-\d\d-\d\dT[\d:.]+Z in owned_\w+ at /)
    const again = await deployed()
    expect(again.complaint).toBeUndefined()
    expect(again.lines).toContain('Migrations applied: none, all are there')
  })

  it("lets the Worker's user do what the service does, and no more", async () => {
    expect(await storeAt(database.service.url).write(creation('deployed'))).toMatchObject({
      kind: 'done',
    })
    const client = await connected(database.service.url)
    await expect(client.query('CREATE TABLE more ()')).rejects.toThrow('permission denied')
    await client.end()
  })

  it('keeps the version back where the Worker may not read a table', async () => {
    const { admin, service } = database
    await admin.query(`REVOKE SELECT ON users FROM ${service.name}`)
    const { calls, complaint } = await deployed()
    await admin.query(`GRANT SELECT ON users TO ${service.name}`)
    expect(calls.filter((call) => call.startsWith('versions upload'))).toEqual([])
    expect(complaint).toContain(`${service.name} may not read the table users`)
  })

  it("refuses where the Worker's user lacks a timeout, before it migrates", async () => {
    const { admin, service } = database
    await admin.query(`ALTER ROLE ${service.name} SET lock_timeout = '1min'`)
    await admin.query(`ALTER ROLE ${service.name} RESET statement_timeout`)
    const { complaint, lines } = await deployed()
    await admin.query(`ALTER ROLE ${service.name} SET lock_timeout = '5s'`)
    await admin.query(`ALTER ROLE ${service.name} SET statement_timeout = 5000`)
    expect(complaint?.split('\n')).toEqual([
      `The role ${service.name} lacks timeouts that end what the service has given up:`,
      `  ALTER ROLE ${service.name} SET statement_timeout = 5000;`,
      `  ALTER ROLE ${service.name} SET lock_timeout = 5000;`,
    ])
    expect(lines.join('\n')).not.toContain('Migrations applied')
  })

  it("refuses where the Worker's user may not ask for the outcome of a write, before it migrates", async () => {
    const { admin, service } = database
    const rights = [
      'EXECUTE ON FUNCTION pg_current_xact_id',
      'EXECUTE ON FUNCTION pg_xact_status',
      'SELECT ON pg_stat_wal',
    ]
    const change = (word: string) => rights.map((right) => `${word.replace('*', right)} PUBLIC;`)
    await admin.query(change('REVOKE * FROM').join(''))
    const { complaint, lines } = await deployed()
    await admin.query(change('GRANT * TO').join(''))
    expect(complaint?.split('\n')).toEqual([
      'The role of the service lacks what writes need:',
      ...rights.map((right) => `  GRANT ${right} TO ${service.name};`),
    ])
    expect(lines.join('\n')).not.toContain('Migrations applied')
  })

  it('refuses a database of another locale', async () => {
    const { admin } = database
    await admin.query(
      "CREATE DATABASE other_locale TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'",
    )
    const postgresUrl = Object.assign(new URL(inject('postgresUrl')), {
      pathname: '/other_locale',
    }).href
    const origin = { database: 'other_locale', user: database.service.name }
    const { complaint } = await deployed({
      postgresUrl,
      hyperdrive: { caching: { disabled: true }, origin },
    })
    await admin.query('DROP DATABASE other_locale WITH (FORCE)')
    expect(complaint).toMatch(/^The locale of the database other_locale is not C/)
    expect(complaint).toContain("CREATE DATABASE other_locale_c LOCALE 'C' TEMPLATE template0;")
  })

  it('refuses a database that writes times in another style, as its health does', async () => {
    const { admin, url, service } = database
    await databaseAt(service.url).ask()
    await admin.query(`ALTER DATABASE ${nameIn(url)} SET datestyle = 'German, DMY'`)
    const { complaint } = await deployed()
    const health = databaseAt(service.url).ask()
    await expect(health).rejects.toThrow('writes times in another style than ISO')
    await admin.query(`ALTER DATABASE ${nameIn(url)} SET datestyle = 'ISO'`)
    expect(complaint).toMatch(/^The database owned_\w+ writes times in the style German, DMY,/)
  })

  it('refuses where Hyperdrive leads to another database, before it touches one', async () => {
    const { complaint, lines } = await deployed({
      hyperdrive: { caching: { disabled: true }, origin: { database: 'other' } },
    })
    expect(complaint).toMatch(/^Hyperdrive leads to other, and POSTGRES_URL to owned_\w+ at /)
    expect(lines.join('\n')).not.toContain('Migrations applied')
  })

  it('tells in one line that the database cannot be reached, or takes no such password', async () => {
    for (const [change, words] of [
      [{ port: '1' }, 'ECONNREFUSED'],
      [{ password: 'wrong' }, 'password authentication failed'],
    ] as readonly (readonly [Record<string, string>, string])[]) {
      const postgresUrl = Object.assign(new URL(database.url), change).href
      const { complaint } = await deployed({ postgresUrl })
      expect(complaint).toMatch(/^The database owned_\w+ at [^\n]+ cannot be reached: [^\n]+$/)
      expect(complaint).toContain(words)
    }
  })

  /** The migrations, and further ones. */
  async function migrationsWith(further: Readonly<Record<string, string>>): Promise<string> {
    const folder = await temporaryFolder()
    await cp(paths.postgresMigrations, folder, { recursive: true })
    for (const [name, sql] of Object.entries(further)) {
      await writeFile(join(folder, name), sql)
    }
    return folder
  }
  const migrated = (folder: string) =>
    migratePostgres({ print: () => {} }, database.url, {}, folder)

  it('applies no migration where one of them fails', async () => {
    const folder = await migrationsWith({
      '0098_good.sql': 'CREATE TABLE good (id text);',
      '0099_bad.sql': 'CREATE TABLE bad (id text); SELECT nothing;',
    })
    await expect(migrated(folder)).rejects.toThrow(
      /^A migration fails: column "nothing" does not exist\nNo version was deployed/,
    )
    expect((await deployed()).complaint).toBeUndefined()
  })

  it('waits for no request for ever: a migration that cannot get its lock is undone', async () => {
    const sql = 'ALTER TABLE users ADD COLUMN note text;'
    const folder = await migrationsWith({ '0099_note.sql': sql })
    await database.admin.query('BEGIN; LOCK TABLE users IN ACCESS SHARE MODE')
    await expect(migrated(folder)).rejects.toThrow('canceling statement due to lock timeout')
    await database.admin.query('ROLLBACK')
  })
})
