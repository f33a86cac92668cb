import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'

const file = join(import.meta.dirname, '..', '..', 'scripts', 'lib', 'wrangler.ts')

/** Runs a command of wrangler that does not end by itself, and tells the id of its process. */
const program = `import processes from 'node:child_process'
  import { syncBuiltinESMExports } from 'node:module'
  const { spawn } = processes
  processes.spawn = (...args) => {
    const child = spawn(...args)
    console.log(child.pid)
    return child
  }
  syncBuiltinESMExports()
  const { wranglerDev } = await import(${JSON.stringify(file)})
  await wranglerDev(0, {}).ended`

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('A signal ends a command, and the wrangler that it waits for', async () => {
  const command = spawn(process.execPath, ['--input-type=module', '-e', program])
  const [line] = await once(createInterface(command.stdout), 'line')
  const child = Number(line)
  expect(isRunning(child)).toBe(true)
  command.kill('SIGHUP')
  expect(await once(command, 'exit')).toEqual([129, null])
  for (let left = 100; left > 0 && isRunning(child); left--) {
    await sleep(50)
  }
  expect(isRunning(child)).toBe(false)
})
