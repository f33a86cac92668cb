import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleBudget } from '../../../../scripts/deploy/bundle.ts'
import { readOptions } from '../../../../scripts/deploy/options.ts'
import { completeSettings, newVersion, run } from './cloudflare.ts'

const build = 'deploy --dry-run --env production --outdir … --outfile …'
const startup = 'check startup --worker … --outfile …'
const account = 'whoami --json'
const secretList = 'secret list --env production --format json'
const bookmark = 'd1 time-travel info DB --env production --json'
const migrations = 'd1 migrations apply DB --env production --remote'
const comparison = 'd1 execute DB --env production --remote --json --command=…'
const status = 'deployments status --env production --json'
const deployed = 'deploy --env production --tag=c0ffee123456 --message=Add a planet'
const view = 'versions view version-before --env production --json'
const smoke = `smoke https://api.example.com ${newVersion}`
const incomplete = { ...completeSettings, databases: { DB: '' } }

describe('npm run deploy', () => {
  it('builds, looks for the secrets, tests, migrates, compares, deploys, then reads', async () => {
    const { calls, complaint } = await run('--env production')
    expect(complaint).toBeUndefined()
    expect(calls).toEqual([
      build,
      startup,
      account,
      secretList,
      status,
      view,
      'test',
      bookmark,
      migrations,
      comparison,
      deployed,
      smoke,
    ])
  })

  it('prints the size of the bundle, the time that it takes to start, and where the database can be restored to', async () => {
    const { lines } = await run('--env production')
    expect(lines[0]).toMatch(/^Bundle: 1\.0 KB compressed, of a budget of 100\.0 KB$/)
    expect(lines[1]).toContain('21.7 ms')
    expect(lines[2]).toContain('0000-restore-here')
  })

  it('uploads a version without traffic on --upload', async () => {
    const { calls } = await run('--env production --upload')
    expect(calls.at(-1)).toBe(
      'versions upload --env production --tag=c0ffee123456 --message=Add a planet',
    )
  })

  it('deploys without tag and message where there is no repository', async () => {
    const { calls } = await run('--env production', { noCommit: true })
    expect(calls).toContain('deploy --env production')
  })

  it('runs no test on --tested', async () => {
    const { calls, complaint } = await run('--env production --tested')
    expect(complaint).toBeUndefined()
    expect(calls).not.toContain('test')
    expect(calls).toContain(deployed)
  })

  it('does nothing on --dry-run that needs an account', async () => {
    const { calls } = await run('--env production --dry-run')
    expect(calls).toEqual([build, startup])
  })

  it('tells on --dry-run what must still be filled in', async () => {
    const { lines, complaint } = await run('--env staging --dry-run', {}, incomplete)
    expect(complaint).toBeUndefined()
    expect(lines.at(-1)).toContain('The database DB has no database_id.')
  })

  it('refuses wrong settings on --dry-run too', async () => {
    const wrong = { ...completeSettings, databases: { DB: 'local' } }
    const { complaint } = await run('--env staging --dry-run', {}, wrong)
    expect(complaint).toContain('no UUID')
  })

  it('refuses incomplete settings before it runs anything', async () => {
    const { calls, complaint } = await run('--env production', {}, incomplete)
    expect(complaint).toContain('The database DB has no database_id.')
    expect(calls).toEqual([])
  })

  it.each(['', ' --dry-run'])('warns of a bundle beyond its budget and goes on%s', async (flag) => {
    const trouble = { bundleBytes: bundleBudget + 1 }
    const { calls, lines, complaint } = await run(`--env production${flag}`, trouble)
    expect(complaint).toBeUndefined()
    expect(lines).toContainEqual(expect.stringMatching(/^Warning: .* budget of 100\.0 KB/))
    expect(calls.at(-1)).toBe(flag === '' ? smoke : startup)
  })

  it.each(['', ' --dry-run'])('refuses a bundle beyond twice its budget%s', async (flag) => {
    const trouble = { bundleBytes: 2 * bundleBudget + 1 }
    const { calls, complaint } = await run(`--env production${flag}`, trouble)
    expect(complaint).toContain('more than twice its budget of 100.0 KB')
    expect(calls).toEqual([build, startup])
  })

  it('refuses when nobody is signed in', async () => {
    const { calls, complaint } = await run('--env production', { signedOut: true })
    expect(complaint).toContain('Nobody is signed in')
    expect(calls.at(-1)).toBe(account)
  })

  it('names a secret that is missing, with the command that sets it', async () => {
    const { calls, complaint } = await run('--env production', { secrets: ['OTHER'] })
    expect(complaint).toContain('npx wrangler secret put CARD_KEYS --env production')
    expect(calls.at(-1)).toBe(secretList)
  })

  it('tells on a first deployment how secrets are sent', async () => {
    const { complaint } = await run('--env production', { secrets: new Error('no such Worker') })
    expect(complaint).toMatch(/--secrets-file FILE\nno such Worker/)
  })

  it('migrates nothing when a test fails, and deploys nothing when a migration fails', async () => {
    const untested = await run('--env production', { tests: new Error('red') })
    expect(untested.calls).not.toContain(migrations)
    const unmigrated = await run('--env production', { migrations: new Error('no such table') })
    expect(unmigrated.calls.at(-1)).toBe(comparison)
  })

  it.each(['', '--env local'])('names the environments for "%s"', (line) => {
    expect(() => readOptions(line.split(' ').filter(Boolean))).toThrow(
      /^--env must be one of staging, production: npm run deploy -- --help lists/,
    )
  })

  it.each(['--env', '--env production --force', '--env production now'])(
    'refuses "%s" in one line',
    (line) => {
      expect(() => readOptions(line.split(' '))).toThrow(/^[^\n]+: npm run deploy -- --help lists/)
    },
  )
})

describe('npm run deploy -- --secrets-file', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'secrets-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  const ring = JSON.stringify({ current: 'k1', keys: { k1: 'A'.repeat(43) } })

  it.each([
    ['JSON', JSON.stringify({ CARD_KEYS: ring })],
    ['lines of NAME=value', `CARD_KEYS='${ring}'\n`],
  ])('sends secrets as %s along', async (_, content) => {
    const file = join(directory, 'good')
    await writeFile(file, content)
    const { calls, complaint } = await run(`--env production --secrets-file ${file}`)
    expect(complaint).toBeUndefined()
    expect(calls).not.toContain(secretList)
    expect(calls).toContain(`${deployed} --secrets-file=${file}`)
  })

  it.each([
    ['lacks the secret', '{}', 'The secret CARD_KEYS is not in'],
    ['holds a ring that is none', 'CARD_KEYS=1234', 'The ring of card keys'],
    [
      'holds a key of the wrong size',
      `CARD_KEYS='{"current":"a","keys":{"a":"AAAA"}}'`,
      '32 bytes',
    ],
  ])('refuses a file that %s, and does not repeat it', async (_, content, words) => {
    const file = join(directory, 'bad')
    await writeFile(file, content)
    const { calls, complaint } = await run(`--env production --secrets-file ${file}`)
    expect(complaint).toContain(words)
    expect(complaint).not.toMatch(/1234|AAAA/)
    expect(calls).toEqual([build, startup, account])
  })

  it('refuses JSON that is cut off, and repeats nothing of it', async () => {
    const file = join(directory, 'cut')
    await writeFile(file, '{"CARD_KEYS": sEcReT')
    const { complaint } = await run(`--env production --secrets-file ${file}`)
    expect(complaint).toBe(`The file of secrets begins like JSON, and is none: ${file}`)
  })

  it('refuses a file that is not there', async () => {
    const { complaint } = await run('--env production --secrets-file /no/such/file')
    expect(complaint).toContain('cannot be read: /no/such/file')
  })
})
