import { describe, expect, it } from 'vitest'
import { completeSettings, newVersion, run } from './cloudflare.ts'

const of = '--env production'
const upload = `versions upload ${of} --tag=c0ffee123456 --message=Add a planet`
const beside = `versions deploy ${newVersion}@0 version-before@100 ${of} --yes`
const triggers = `triggers deploy ${of}`
const smoke = `smoke https://api.example.com ${newVersion}`
const all = `versions deploy ${newVersion}@100 ${of} --yes`

describe('A version', () => {
  it('is read from while it has no traffic, then gets all of it, and the way back is printed', async () => {
    const { calls, lines, complaint } = await run(of)
    expect(complaint).toBeUndefined()
    expect(calls.slice(-5)).toEqual([upload, beside, triggers, smoke, all])
    expect(lines.at(-1)).toBe(
      `It has all traffic. To roll back: npx wrangler rollback version-before ${of}`,
    )
  })

  it.each([
    ['does not answer as it should', ['GET /health answers 503, not 200.']],
    ['cannot be tried', new Error('SMOKE_TOKEN_URL is not answered.')],
  ])('gets no traffic where it %s', async (_, faults) => {
    const { calls, complaint } = await run(of, { smoke: faults })
    expect(calls.at(-1)).toBe(smoke)
    expect(complaint).toContain(faults instanceof Error ? faults.message : faults[0])
    expect(complaint).toContain(`The version ${newVersion} gets no traffic. Migrations stay.`)
  })

  it('gets no traffic on --upload', async () => {
    const { calls, complaint } = await run(`${of} --upload`)
    expect(complaint).toBeUndefined()
    expect(calls.at(-1)).toBe(smoke)
  })

  it('has no tag and no message where there is no repository', async () => {
    const { calls } = await run(of, { noCommit: true })
    expect(calls).toContain(`versions upload ${of}`)
  })

  it('is looked for where wrangler says that it is, if it has no route', async () => {
    const { calls } = await run(of, {}, { ...completeSettings, address: undefined })
    expect(calls).toContain(`smoke https://users.somebody.workers.dev ${newVersion}`)
  })

  it('is deployed at once where there was none before, and stays where it does not answer as it should', async () => {
    const faults = ['GET /health answers 503, not 200.']
    const { calls, complaint } = await run(of, { first: true, smoke: faults })
    expect(calls.slice(-2)).toEqual([
      `deploy ${of} --tag=c0ffee123456 --message=Add a planet`,
      'smoke https://api.example.com undefined',
    ])
    expect(complaint).toMatch(/answers 503, not 200\.\nIt is deployed all the same\.$/)
  })
})
