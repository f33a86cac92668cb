import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'

const file = join(import.meta.dirname, '..', '..', 'scripts', 'lib', 'wrangler.ts')

/** Runs a command of wrangler that does not end by itself. */
const program = `const { wranglerDev } = await import(${JSON.stringify(file)})
  await wranglerDev(0, {}).ended`

it('A signal ends a command, and the wrangler that it waits for', async () => {
  const command = spawn(process.execPath, ['--input-type=module', '-e', program])
  const findChild = () => Number(execFileSync('pgrep', ['-P', String(command.pid)]))
  const child = await vi.waitFor(findChild, 20_000)
  command.kill('SIGHUP')
  expect(await once(command, 'exit')).toEqual([129, null])
  await vi.waitFor(() => expect(() => process.kill(child, 0)).toThrow('ESRCH'), 5_000)
})
