import { describe, expect, it } from 'vitest'
import { newVersion, postgresSettings, run } from './cloudflare.ts'

const smoke = `smoke https://api.example.com ${newVersion}`

describe('After a deployment that does not answer as it should', () => {
  const faults = ['GET /health answers 503, not 200.']
  const rollback = 'rollback version-before --env production --message=The smoke test failed --yes'

  it('the version from before is offered, and is there again for a yes', async () => {
    const { calls, lines, complaint } = await run('--env production', {
      smoke: faults,
      confirmed: true,
    })
    expect(calls.slice(-3)).toEqual([smoke, 'confirm Roll back to version-before?', rollback])
    expect(lines.join('\n')).toContain(faults[0])
    expect(complaint).toContain('Rolled back to version-before')
  })

  it('the new version stays for a no, and the command to roll back is told', async () => {
    const { calls, complaint } = await run('--env production', { smoke: faults })
    expect(calls).not.toContain(rollback)
    expect(complaint).toContain('npx wrangler rollback version-before --env production')
  })

  it('it is rolled back without a question on --roll-back', async () => {
    const { calls, complaint } = await run('--env production --roll-back', { smoke: faults })
    expect(calls.slice(-2)).toEqual([smoke, rollback])
    expect(complaint).toContain('Rolled back')
  })

  it('so it is where the test cannot be made: nobody knows whether it answers', async () => {
    const smokeless = { smoke: new Error('SMOKE_TOKEN_URL is not answered.') }
    const { calls, lines, complaint } = await run('--env production --roll-back', smokeless)
    expect(calls.slice(-2)).toEqual([smoke, rollback])
    expect(lines.join('\n')).toContain('SMOKE_TOKEN_URL is not answered.')
    expect(complaint).toContain('Rolled back')
  })

  it('where the version from before uses the other database, what is missing there is told', async () => {
    const { complaint } = await run(
      '--env production --database postgres --code-only --other-database --roll-back',
      { smoke: faults, liveBinding: 'd1' },
      postgresSettings,
    )
    expect(complaint).toContain('which uses d1: it has nothing that postgres was told meanwhile')
  })

  it('nothing is offered on a first deployment', async () => {
    const trouble = { smoke: faults, first: true, confirmed: true }
    const { calls, complaint } = await run('--env production --roll-back', trouble)
    expect(calls.at(-1)).toBe(smoke)
    expect(complaint).toMatch(/answers 503, not 200\.\nThere is no version from before/)
  })
})
