import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommands } from '../support/checkout.ts'

const project = join(import.meta.dirname, '..', '..')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alerts-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('npm run alerts', () => {
  it('tells which alerts a log fires, and asks in one line for a log that can be read', async () => {
    const log = join(folder, 'worker.log')
    const line = { level: 'error', event: 'unhealthy', dependency: 'configuration', cause: 'wrong' }
    await writeFile(log, `${JSON.stringify(line)}\n`)

    const calls = [['--log', log], [], ['--log', 'no/such.log']]
    const file = 'scripts/operate/alerts.ts'
    expect(
      await runCommands(
        project,
        calls.map((args) => ({ file, args })),
      ),
    ).toEqual([
      {
        code: 0,
        stdout: expect.stringMatching(
          /1 of \d+ alerts fire\. First:\n {2}Configuration: roll back\n$/,
        ),
        stderr: '',
      },
      { code: 1, stdout: '', stderr: expect.stringMatching(/^Which log\? [^\n]*--log[^\n]*\n$/) },
      {
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^no\/such\.log cannot be read: [^\n]*\n$/),
      },
    ])
  })
})
