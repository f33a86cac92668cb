import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOptions } from '../../../../scripts/deploy/options.ts'
import { completeSettings, run } from './cloudflare.ts'

const build = 'deploy --dry-run --env production'
const account = 'whoami --json'
const secretList = 'secret list --env production --format json'
const migrations = 'd1 migrations apply DB --env production --remote'
const comparison = 'd1 execute DB --env production --remote --json --command=…'
const incomplete = { ...completeSettings, databases: { DB: '' } }

describe('npm run deploy', () => {
  it('builds, looks for the secrets and for what is live, migrates, compares, then releases', async () => {
    const { calls, lines, complaint } = await run('--env production')
    expect(complaint).toBeUndefined()
    expect(calls.slice(0, -5)).toEqual([
      build,
      account,
      secretList,
      'deployments status --env production --json',
      'versions view version-before --env production --json',
      'versions view version-other --env production --json',
      'd1 time-travel info DB --env production --json',
      migrations,
      comparison,
    ])
    expect(lines[1]).toContain('0000-restore-here')
  })

  it('does nothing on --dry-run that needs an account', async () => {
    const { calls } = await run('--env production --dry-run')
    expect(calls).toEqual([build])
  })

  it('tells on --dry-run what must still be filled in', async () => {
    const { lines, complaint } = await run('--env staging --dry-run', {}, incomplete)
    expect(complaint).toBeUndefined()
    expect(lines.at(-1)).toContain('The database DB has no database_id.')
  })

  it('refuses incomplete settings before it runs anything', async () => {
    const { calls, complaint } = await run('--env production', {}, incomplete)
    expect(complaint).toContain('The database DB has no database_id.')
    expect(calls).toEqual([])
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

  it('refuses while a gradual roll-out is under way, before it migrates', async () => {
    const { calls, complaint } = await run('--env production', { rollOut: true })
    expect(complaint).toMatch(/^A gradual roll-out is under way/)
    expect(calls.at(-1)).toMatch(/^versions view/)
  })

  it('releases nothing when a migration fails', async () => {
    const { calls } = await run('--env production', { migrations: new Error('no such table') })
    expect(calls.at(-1)).toBe(comparison)
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
    expect(calls).toContainEqual(expect.stringMatching(/^versions upload .* --secrets-file=/))
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
    expect(calls).toEqual([build, account])
  })
})
