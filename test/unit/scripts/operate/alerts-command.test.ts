import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../support/checkout.ts'

const project = join(import.meta.dirname, '..', '..', '..', '..')
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

  it.each([
    { args: [], words: /^Which log\? [^\n]*--log[^\n]*\n$/ },
    { args: ['--log', 'no/such.log'], words: /^no\/such\.log cannot be read: [^\n]*\n$/ },
  ])('asks in one line for a log: $args', async ({ args, words }) => {
    const { code, stdout, stderr } = await run('alerts', ...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(words)
  })
})
