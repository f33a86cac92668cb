import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { d1From } from '../../scripts/operate/database.ts'
import { makeCheckout, runCommand } from '../support/checkout.ts'

const tables = [
  'users',
  'user_citizenships',
  'user_relatives',
  'counters',
  'countries',
  'd1_migrations',
]

let folder: string
beforeAll(async () => {
  folder = await makeCheckout()
  prepare()
})
afterAll(() => rm(folder, { recursive: true }))

/** Does what npm start does before it starts anything. */
function prepare(): void {
  const program = `
    const { prepare } = await import('./scripts/start/prepare.ts')
    await prepare(undefined, () => {})`
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder })
}

/** Runs npm run person in the checkout. */
function person(...args: readonly string[]) {
  return runCommand(folder, 'scripts/operate/person.ts', args)
}

/** Everything in the checkout's database: the rows of its tables, its indexes and its triggers. */
function everything(): unknown[][] {
  const schema = `SELECT name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') ORDER BY name`
  const sql = [...tables.map((table) => `SELECT * FROM ${table} ORDER BY 1, 2`), schema].join(';')
  return execute(sql)
}

/**
 * Runs SQL on the checkout's database, which no process has open, without the seconds that wrangler takes; the rows of each statement.
 *
 * @param values of one statement
 */
function execute(sql: string, values?: readonly string[]): unknown[][] {
  const [file = ''] = globSync('.wrangler/state/v3/d1/*/[0-9a-f]*.sqlite', { cwd: folder })
  const database = new DatabaseSync(join(folder, file))
  const statements = values === undefined ? sql.split(';') : [sql]
  const results = statements.map((each) => database.prepare(each).all(...(values ?? [])))
  database.close()
  return results
}

describe('npm run person', () => {
  it('writes everything that is stored of a person to a file that nobody else may read, and over no other file, the card number in the clear', async () => {
    const file = join(folder, 'person.json')
    const { code, stderr } = await person('--subject', '1', '--file', file)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { subject, owned, references } = JSON.parse(await readFile(file, 'utf8'))
    expect(subject).toBe('1')
    expect(owned.users.map(({ id }: { id: string }) => id)).toEqual(['1', '6', '7', '8', '9'])
    expect(owned.users[0]).toEqual(
      expect.objectContaining({
        id: '1',
        owner: '1',
        full_name: 'John Doe',
        email: 'john.doe@example.com',
        card: '4242 4242 4242 4242',
        addresses: [
          { city: 'Oslo', zip: '0150', doorCode: '4711' },
          { city: 'Bergen', zip: '5003' },
        ],
        place_of_birth: 'US',
      }),
    )
    expect(references.user_citizenships).toEqual([
      { user_id: '1', country_id: 'NO' },
      ...['1', '6', '7', '8', '9'].map((id) => ({ user_id: id, country_id: 'US' })),
    ])
    // Four relatives of his own, and four people whose relative he is.
    expect(references.user_relatives).toHaveLength(8)
    expect(Object.keys(references).sort()).toEqual(['user_citizenships', 'user_relatives'])
    const again = await person('--subject', '1', '--file', file)
    expect(again.stderr).toBe(`${file} is there already: choose another name.\n`)
  })

  it('says so and fails where nothing is stored of a person', async () => {
    const file = join(folder, 'nobody.json')
    const nobody = await person('--subject', 'no " or \' body', '--file', file)
    expect(nobody).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Nothing is stored of no " or \' body in the local database.\n',
    })
    expect(existsSync(file)).toBe(false)
  })

  it('prints and erases what wrangler would edit in SQL, as it was written', async () => {
    const subject = 'BEGIN TRANSACTION; COMMIT;'
    const name = 'Kari BEGIN TRANSACTION; Nordmann'
    const city = 'Oslo COMMIT; Øst'
    const row = { id: name, owner: subject, email: city }
    execute(
      `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, addresses) VALUES (?, ?, ?, '', ?, '', ?)`,
      [name, subject, name, city, JSON.stringify([{ city }])],
    )
    const { owned } = JSON.parse((await person('--subject', subject)).stdout)
    expect(owned.users).toEqual([
      expect.objectContaining({ ...row, full_name: name, addresses: [{ city }] }),
    ])
    execute("UPDATE counters SET value = value + 1 WHERE name = 'users'")
    const { stdout } = await person('--subject', subject, '--erase')
    expect(stdout).toBe(`Erased what the local database held of ${subject}. Rows: 1 in users.\n`)
    expect(execute("SELECT id FROM users WHERE owner LIKE 'BEGIN%'")).toEqual([[]])
  })

  it('asks in one line for the person, and for the key ring where a card number is stored, and leaves no file that it cannot fill', async () => {
    const { code, stderr } = await person()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Whose data? Name the person with --subject.\n',
    })
    const [secrets, file] = [join(folder, 'no-ring'), join(folder, 'ringless.json')]
    await writeFile(secrets, '{}')
    const args = ['--subject', '1', '--file', file, '--secrets-file', secrets]
    const ringless = await person(...args)
    expect(ringless.code).toBe(1)
    expect(existsSync(file)).toBe(false)
    expect(ringless.stderr).toMatch(/^There is a card number: [^\n]+--secrets-file\.\n$/)
  })
})

describe('npm run person -- --erase', () => {
  it('erases a person without a trace', async () => {
    const erased = await person('--subject', '1', '--erase')
    expect(erased).toMatchObject({ code: 0, stderr: '' })
    expect(erased.stdout).toBe(
      'Erased what the local database held of 1. Rows: 5 in users, 6 in user_citizenships, 8 in user_relatives.\n',
    )
    const [users, citizenships, relatives, counters] = everything()
    expect(users).toHaveLength(44)
    expect(counters).toEqual([{ name: 'users', value: 44 }])
    expect(JSON.stringify([users, citizenships, relatives])).not.toContain('"1"')
  })

  it('says in one line that nobody is signed in', async () => {
    const remote = ['--env', 'production', '--remote']
    const { code, stderr } = await person('--subject', '1', ...remote)
    expect(code).toBe(1)
    expect(stderr).toBe('Nobody is signed in: npx wrangler login, or set CLOUDFLARE_API_TOKEN\n')
  })

  it('reaches a database at Cloudflare by --env and --remote together', () => {
    expect(d1From({ env: 'staging', remote: true })).toMatchObject({
      where: ['--env', 'staging', '--remote'],
      isLocal: false,
      name: 'the database of staging',
    })
  })
})

describe('npm start', () => {
  it('loads the demo data once: who was deleted since does not come back when the configuration changes', async () => {
    execute("DELETE FROM users WHERE id = '7'")
    const before = everything()
    const file = join(folder, 'wrangler.toml')
    await writeFile(file, `${await readFile(file, 'utf8')}\n# Changed.\n`)
    prepare()
    expect(everything()).toEqual(before)
  })
})
