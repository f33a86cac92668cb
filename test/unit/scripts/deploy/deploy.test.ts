import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readOptions } from '../../../../scripts/deploy/options.ts'
import type { Settings } from '../../../../scripts/deploy/settings.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import {
  completeSettings as d1,
  newVersion,
  postgresSettings,
  run,
  type Trouble,
} from './cloudflare.ts'

const of = '--env production'
const build = `deploy --dry-run ${of}`
const comparison = `d1 execute DB ${of} --remote --json --command=…`
const upload = `versions upload ${of} --tag=c0ffee123456 --message=Add a planet`
const smoke = `smoke https://api.example.com ${newVersion}`
const live = `deployments status ${of} --json`
const others = `versions view version-other ${of} --json`
const statuses = [live, `versions view version-before ${of} --json`, others]
const incomplete = { ...d1, ids: { DB: '' } }
const missing = 'The binding DB has no id: fill in database_id (D1) or id (Hyperdrive).'
const unhealthy = 'GET /health answers 503, not 200.'
const untouched = (fault: string) =>
  `${fault}\nThe version ${newVersion} gets no traffic. Migrations stay.`
const brake = `${of} --read-only on`
const onPostgres = `${of} --database postgres`
const [id] = Object.values(postgresSettings.ids)
const hyperdrive = `hyperdrive get ${id} ${of} --config wrangler.postgres.toml`
const stale = `would read their own writes: npx wrangler hyperdrive update ${id} --caching-disabled`
const aMinute = { caching: { disabled: false, max_age: 60 } }
/** A Hyperdrive with these settings, which is live. */
const cached = (hyperdrive: object): Trouble => {
  const postgresUrl = 'postgres://a:b@127.0.0.1:1/users'
  return { liveBinding: 'hyperdrive', postgresUrl, hyperdrive }
}

describe('npm run deploy', () => {
  it('builds, looks for what is live, migrates, compares, reads, and gives all traffic', async () => {
    const { calls, lines, complaint } = await run(of)
    expect(complaint).toBeUndefined()
    expect(calls).toEqual([
      build,
      ...statuses,
      `d1 time-travel info DB ${of} --json`,
      `d1 migrations apply DB ${of} --remote`,
      comparison,
      upload,
      `versions deploy ${newVersion}@0 version-before@100 ${of} --yes`,
      `triggers deploy ${of}`,
      smoke,
      `versions deploy ${newVersion}@100 ${of} --yes`,
    ])
    expect(lines[1]).toContain('0000-restore-here')
    expect(lines.at(-1)).toBe(
      `It has all traffic. To roll back: npx wrangler rollback version-before ${of}`,
    )
  })

  it('needs no account for a dry run, which tells what must still be filled in', async () => {
    const { calls, lines, complaint } = await run(`${of} --dry-run`, {}, incomplete)
    expect(complaint).toBeUndefined()
    expect(calls).toEqual([build])
    expect(lines.at(-1)).toContain(missing)
    const postgres = await run(`${onPostgres} --dry-run`, {}, postgresSettings)
    expect(postgres.calls).toEqual([`${build} --config wrangler.postgres.toml`])
  })

  it.each<[what: string, line: string, Trouble, Settings, words: string, last?: string]>([
    ['settings are incomplete', of, {}, incomplete, missing],
    ['nobody can tell what is live', of, { status: new Error('503') }, d1, '503', live],
    ['a roll-out is under way', of, { rollOut: true }, d1, 'A gradual roll-out', others],
    ['PostgreSQL is live', of, { liveBinding: 'hyperdrive' }, d1, 'this one d1', others],
    ['a version is not well', of, { smoke: [unhealthy] }, d1, untouched(unhealthy), smoke],
    ['a version cannot be tried', of, { smoke: new Error('No.') }, d1, untouched('No.'), smoke],
    ['nothing is there to brake', brake, { first: true }, d1, 'Nothing is deployed', live],
    ['the brake lacks settings', brake, {}, incomplete, missing, others],
    ['nobody names a database', onPostgres, {}, postgresSettings, 'Which database?'],
    ['Hyperdrive caches by default', onPostgres, cached({}), postgresSettings, stale, hyperdrive],
    ['Hyperdrive caches', onPostgres, cached(aMinute), postgresSettings, stale, hyperdrive],
  ])('ends where %s', async (_, line, trouble, settings, words, last) => {
    const { calls, complaint } = await run(line, trouble, settings)
    expect(complaint).toContain(words)
    expect(calls.at(-1)).toBe(last)
  })

  it('puts one database in the place of another where that is meant', async () => {
    const { calls, complaint } = await run(`${of} --other-database`, { liveBinding: 'hyperdrive' })
    expect([complaint, calls.at(-2)]).toEqual([undefined, smoke])
  })

  it('keeps the version back where the database is not what the migrations make; each difference and the way back are named', async () => {
    const { calls, complaint } = await run(of, {
      migrations: new Error('incomplete input'),
      ranAfterwards: 'DROP INDEX users_owner; CREATE TABLE notes (id text)',
    })
    expect(calls.at(-1)).toBe(comparison)
    expect(complaint?.split('\n')).toEqual([
      'incomplete input',
      'No version was deployed: the database is not what the migrations make.',
      '  index users_owner is missing, and should be create index users_owner on users(owner)',
      '  table notes is create table notes(id text), and should be missing',
      expect.stringContaining('"A migration of which half is applied"'),
      `  npx wrangler d1 time-travel restore DB ${of} --bookmark=0000-restore-here`,
    ])
  })

  it.each(['', '--env local', '--env production --force', '--env production now'])(
    'refuses "%s" in one line',
    (line) => {
      expect(() => readOptions(line.split(' ').filter(Boolean))).toThrow(
        /^[^\n]+: npm run deploy -- --help lists/,
      )
    },
  )
})

describe('A version', () => {
  it('gets no traffic on --upload', async () => {
    const { calls, complaint } = await run(`${of} --upload`)
    expect([complaint, calls.at(-1)]).toEqual([undefined, smoke])
  })

  it('is looked for where wrangler says that it is, if it has no route', async () => {
    const { calls } = await run(of, {}, { ...d1, address: undefined })
    expect(calls).toContain(`smoke https://users.somebody.workers.dev ${newVersion}`)
  })

  it('is deployed at once where there was none before, and stays where it does not answer as it should', async () => {
    const { calls, complaint } = await run(of, { first: true, smoke: [unhealthy] })
    expect(calls.slice(-2)).toEqual([
      `deploy ${of} --tag=c0ffee123456 --message=Add a planet`,
      'smoke https://api.example.com undefined',
    ])
    expect(complaint).toMatch(/answers 503, not 200\.\nIt is deployed all the same\.$/)
  })
})

describe('npm run deploy -- --read-only', () => {
  const uploaded = (tag: string, readOnly: boolean) =>
    `versions upload ${of} --tag=c0ffee123456 --message=Add a planet --cwd=/${tag} --var=READ_ONLY:${readOnly}`

  it.each([
    { state: 'on', readOnly: true, back: 'off' },
    { state: 'off', readOnly: false, back: 'on' },
  ])(
    '$state gives all traffic to the commit that is live with that alone changed, migrates nothing, and names the way back',
    async ({ state, readOnly, back }) => {
      const { calls, lines, complaint } = await run(`${of} --read-only ${state}`)
      expect(complaint).toBeUndefined()
      expect(calls).toEqual([
        ...statuses,
        uploaded('badcafe12345', readOnly),
        `versions deploy ${newVersion}@100 ${of} --yes`,
        'smoke https://api.example.com undefined',
      ])
      expect(lines.at(-1)).toMatch(new RegExp(`: npm run deploy -- ${of} --read-only ${back}$`))
    },
  )

  it('works during a roll-out, and where the commit is not here: another takes its place, and it says so', async () => {
    const { calls, lines } = await run(brake, { rollOut: true })
    expect(lines[0]).toContain('badcafe12345, which is live: c0ffee123456 takes its place')
    expect(calls.at(-3)).toBe(uploaded('badcafe12345', true))
  })

  it('stays on in the deployments that follow', async () => {
    const { calls, lines } = await run(of, { readOnly: 'True' })
    expect(calls).toContain(`${upload} --var=READ_ONLY:true`)
    expect(lines.join()).toContain(`npm run deploy -- ${of} --read-only off`)
  })

  it('off is the way back to D1 after a version on PostgreSQL, and goes without --other-database where there is none', async () => {
    const back = `${of} --other-database --read-only off`
    for (const liveBinding of ['hyperdrive', 'd1']) {
      const { calls, complaint } = await run(back, { liveBinding, readOnly: 'true' })
      expect([complaint, calls.at(-3)]).toEqual([undefined, uploaded('badcafe12345', false)])
    }
    const { complaint } = await run(`${of} --read-only off`, { liveBinding: 'hyperdrive' })
    expect(complaint).toContain('The version that is live uses postgres, and this one d1')
  })

  it.each(['--read-only yes', '--read-only on --dry-run', '--read-only on --secrets-file a'])(
    'refuses "%s"',
    (line) => {
      expect(() => readOptions(`${of} ${line}`.split(' '))).toThrow(/--read-only/)
    },
  )
})

describe('npm run deploy -- --secrets-file', () => {
  /** Runs a deployment with a file of secrets. */
  async function runWith(content: string) {
    const file = join(await temporaryFolder(), 'secrets')
    await writeFile(file, content)
    return run(`${of} --secrets-file ${file}`)
  }
  const ring = JSON.stringify({ current: 'k1', keys: { k1: 'A'.repeat(43) } })

  it.each([
    ['JSON', JSON.stringify({ CARD_KEYS: ring })],
    ['lines of NAME=value', `CARD_KEYS='${ring}'\n`],
  ])('sends secrets as %s along', async (_, content) => {
    const { calls, complaint } = await runWith(content)
    expect(complaint).toBeUndefined()
    expect(calls).toContainEqual(expect.stringMatching(/^versions upload .* --secrets-file=/))
  })

  it.each([
    ['lacks the secret', '{}', 'must have the secret CARD_KEYS'],
    ['holds a ring that is none', 'CARD_KEYS=1234', 'CARD_KEYS must be'],
    [
      'holds a ring as an object',
      '{"CARD_KEYS":{"current":"1234"}}',
      'must have the secret CARD_KEYS',
    ],
  ])('refuses a file that %s, and does not repeat it', async (_, content, words) => {
    const { calls, complaint } = await runWith(content)
    expect(complaint).toContain(words)
    expect(complaint).not.toContain('1234')
    expect(calls).toEqual([build])
  })
})
