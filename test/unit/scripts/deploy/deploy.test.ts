import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readOptions } from '../../../../scripts/deploy/options.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { completeSettings, newVersion, postgresSettings, run, type Trouble } from './cloudflare.ts'

const of = '--env production'
const build = `deploy --dry-run ${of}`
const comparison = `d1 execute DB ${of} --remote --json --command=…`
const upload = `versions upload ${of} --tag=c0ffee123456 --message=Add a planet`
const smoke = `smoke https://api.example.com ${newVersion}`
const incomplete = { ...completeSettings, ids: { DB: '' } }
const unhealthy = ['GET /health answers 503, not 200.']

describe('npm run deploy', () => {
  it('builds, looks for what is live, migrates, compares, reads, and gives all traffic', async () => {
    const { calls, lines, complaint } = await run(of)
    expect(complaint).toBeUndefined()
    expect(calls).toEqual([
      build,
      `deployments status ${of} --json`,
      `versions view version-before ${of} --json`,
      `versions view version-other ${of} --json`,
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
    expect(lines.at(-1)).toContain('The binding DB has no id.')
    const postgres = await run(`${of} --database postgres --dry-run`, {}, postgresSettings)
    expect(postgres.calls).toEqual([`${build} --config wrangler.postgres.toml`])
  })

  it('runs nothing where settings are incomplete', async () => {
    const { calls, complaint } = await run(of, {}, incomplete)
    expect(complaint).toContain('The binding DB has no id.')
    expect(calls).toEqual([])
  })

  it.each<[what: string, Trouble, complaint: string, last: string]>([
    ['nobody can tell what is live', { status: new Error('503') }, '503', 'deployments status'],
    ['a roll-out is under way', { rollOut: true }, 'A gradual roll-out', 'versions view'],
    ['PostgreSQL is live', { liveBinding: 'hyperdrive' }, 'this one d1', 'versions view'],
  ])('changes nothing where %s', async (_, trouble, words, last) => {
    const { calls, complaint } = await run(of, trouble)
    expect(complaint).toContain(words)
    expect(calls.at(-1)).toContain(last)
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
  it.each([
    ['does not answer as it should', unhealthy],
    ['cannot be tried', new Error('SMOKE_TOKEN_URL is not answered.')],
  ])('gets no traffic where it %s', async (_, faults) => {
    const { calls, complaint } = await run(of, { smoke: faults })
    expect(calls.at(-1)).toBe(smoke)
    expect(complaint).toContain(faults instanceof Error ? faults.message : faults[0])
    expect(complaint).toContain(`The version ${newVersion} gets no traffic. Migrations stay.`)
  })

  it('gets no traffic on --upload', async () => {
    const { calls, complaint } = await run(`${of} --upload`)
    expect([complaint, calls.at(-1)]).toEqual([undefined, smoke])
  })

  it('is looked for where wrangler says that it is, if it has no route', async () => {
    const { calls } = await run(of, {}, { ...completeSettings, address: undefined })
    expect(calls).toContain(`smoke https://users.somebody.workers.dev ${newVersion}`)
  })

  it('is deployed at once where there was none before, and stays where it does not answer as it should', async () => {
    const { calls, complaint } = await run(of, { first: true, smoke: unhealthy })
    expect(calls.slice(-2)).toEqual([
      `deploy ${of} --tag=c0ffee123456 --message=Add a planet`,
      'smoke https://api.example.com undefined',
    ])
    expect(complaint).toMatch(/answers 503, not 200\.\nIt is deployed all the same\.$/)
  })
})

describe('npm run deploy -- --read-only', () => {
  const statuses = [
    `deployments status ${of} --json`,
    `versions view version-before ${of} --json`,
    `versions view version-other ${of} --json`,
  ]
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
    const { calls, lines } = await run(`${of} --read-only on`, { rollOut: true })
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

  it.each([
    ['nothing is deployed', { first: true }, completeSettings, 'Nothing is deployed'],
    ['settings are missing', {}, incomplete, 'The binding DB has no id.'],
  ])('changes nothing where %s', async (_, trouble, settings, words) => {
    const { calls, complaint } = await run(`${of} --read-only on`, trouble, settings)
    expect(complaint).toContain(words)
    expect(statuses).toEqual(expect.arrayContaining(calls))
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

describe('A deployment on PostgreSQL', () => {
  const line = `${of} --database postgres`
  const postgresUrl = 'postgres://a:b@127.0.0.1:1/users'

  it('asks for the address of the database before anything else', async () => {
    const { calls, complaint } = await run(line, {}, postgresSettings)
    expect(complaint).toMatch(/^Which database\? Set POSTGRES_URL/)
    expect(calls).toEqual([])
  })

  it.each([
    ['is on by default', {}],
    ['is on', { caching: { disabled: false, max_age: 60 } }],
  ])('refuses a Hyperdrive whose cache %s, before it migrates', async (_, hyperdrive) => {
    const trouble = { liveBinding: 'hyperdrive', postgresUrl, hyperdrive }
    const { calls, complaint } = await run(line, trouble, postgresSettings)
    expect(complaint).toMatch(
      /nobody would read their own writes: npx wrangler hyperdrive update \w+ --caching-disabled$/,
    )
    expect(calls.at(-1)).toMatch(/^hyperdrive get a76a99bc342644c6a3f8a2a5b1f8a0e1 /)
  })
})
