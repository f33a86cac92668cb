import { describe, expect, it } from 'vitest'
import { run } from './cloudflare.ts'

describe('The database of a deployment', () => {
  it('keeps the version back where anything differs; each difference and the way back are named', async () => {
    const ranAfterwards = 'DROP INDEX users_owner; CREATE TABLE notes (id text)'
    const { calls, complaint } = await run('--env production', { ranAfterwards })
    expect(calls.at(-1)).toMatch(/^d1 execute DB --env production --remote --json --command=/)
    expect(complaint?.split('\n')).toEqual([
      'No version was deployed: the database is not what the migrations make.',
      '  missing: index users_owner',
      '  not of these migrations: table notes',
      expect.stringContaining('"A migration of which half is applied"'),
      '  npx wrangler d1 time-travel restore DB --env production --bookmark=0000-restore-here',
    ])
  })

  it('is told as it is where a migration fails', async () => {
    const { complaint } = await run('--env production', {
      migrations: new Error('incomplete input'),
      ranAfterwards: "DELETE FROM d1_migrations WHERE name = '0005_user_revision.sql'",
    })
    expect(complaint).toMatch(/^incomplete input\nNo version was deployed/)
    expect(complaint).toContain('\n  missing: migration 0005_user_revision.sql\n')
  })
})

describe('npm run deploy -- --code-only', () => {
  const view = 'versions view version-before --env production --json'
  const d1 = new Error('internal error [code: 7500]')

  it('asks nothing of D1, and deploys where the migrations are those of the commit that is live', async () => {
    const { calls, complaint } = await run('--env production --code-only', { d1 })
    expect(complaint).toBeUndefined()
    expect(calls.filter((call) => call.startsWith('d1 '))).toEqual([])
    expect(calls.slice(-5)).toEqual([
      view,
      'migrations since badcafe12345',
      'test',
      expect.stringMatching(/^deploy --env production --tag=/),
      expect.stringMatching(/^smoke /),
    ])
  })

  it('refuses where a migration has changed since, before it tests', async () => {
    const changedMigrations = ['migrations/0009_planets.sql']
    const { calls, complaint } = await run('--env production --code-only', { changedMigrations })
    expect(complaint).toMatch(
      /is not as it was at badcafe12345, which is live:\n {2}migrations\/0009_/,
    )
    expect(calls.at(-1)).toBe('migrations since badcafe12345')
  })

  it.each([
    ['has no tag', ''],
    ['was made from changed files', 'badcafe12345-changed'],
    ['has a tag that is no commit', '--all'],
  ])('refuses where the version that is live %s', async (_, liveTag) => {
    const { calls, complaint } = await run('--env production --code-only', { liveTag })
    expect(complaint).toContain('The live version version-before names no commit')
    expect(calls.at(-1)).toBe(view)
  })

  it('refuses where nothing is live', async () => {
    const { complaint } = await run('--env production --code-only', { first: true })
    expect(complaint).toContain('there is none')
  })
})
