import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../../support/checkout.ts'

const project = join(import.meta.dirname, '..', '..', '..', '..', '..')
const run = (file: string, ...args: string[]) =>
  runCommand(project, `scripts/operate/${file}.ts`, args)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alerts-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('npm run alerts', () => {
  it('tells which alerts a log fires', async () => {
    const log = join(folder, 'worker.log')
    const line = { level: 'error', event: 'unhealthy', dependency: 'configuration', cause: 'wrong' }
    await writeFile(log, `${JSON.stringify(line)}\n`)

    const { code, stdout, stderr } = await run('alerts', '--log', log)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/1 of \d+ alerts fire\. First:\n {2}Configuration: roll back\n$/)
  })

  it('says that a log has too few lines to tell', async () => {
    const log = join(folder, 'short.log')
    await writeFile(
      log,
      `${JSON.stringify({ event: 'request', operation: 'users.list', status: 500, ms: 5 })}\n`,
    )
    const { stdout } = await run('alerts', '--log', log)
    expect(stdout).toMatch(/^quiet +Failing +too few to tell \(/m)
  })

  it.each([
    { args: [], words: /^Which log\? [^\n]*--log[^\n]*\n$/ },
    { args: ['--log', 'no/such.log'], words: /^no\/such\.log cannot be read: [^\n]*\n$/ },
  ])('asks in one line for a log: $args', async ({ args, words }) => {
    const { code, stdout, stderr } = await run('alerts', ...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(words)
  })
})

describe('npm run monitoring', () => {
  it('refuses an environment that there is not, in one line', async () => {
    const { code, stderr } = await run('monitoring', '--apply', '--env', 'nowhere')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^--env must be one of staging, production[^\n]*"nowhere"\.\n$/)
  })
})
