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
