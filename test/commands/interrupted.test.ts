import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { temporaryFolder } from '../unit/temporary-folder.ts'

/** A module of `scripts`, as a program names it. */
const script = (name: string) =>
  JSON.stringify(join(import.meta.dirname, '..', '..', 'scripts', name))

/** Serves a Worker until a signal comes, as `npm start` does. */
const program = `
  const { runWorker } = await import(${script('lib/wrangler.ts')})
  const { untilInterrupted } = await import(${script('start/process.ts')})
  const interrupted = untilInterrupted()
  await runWorker(0, {}, console.log, { config: process.argv[1] })
  await interrupted
  process.exit()`

it('A signal ends a command, and the workerd that it has started', async () => {
  const folder = await temporaryFolder()
  const config = join(folder, 'wrangler.json')
  await writeFile(join(folder, 'worker.js'), 'export default { fetch: () => new Response() }')
  await writeFile(config, JSON.stringify({ name: 'other', main: 'worker.js' }))
  const command = spawn(process.execPath, ['--input-type=module', '-e', program, config])
  const children = () => execFileSync('pgrep', ['-P', `${command.pid}`, 'workerd']).toString()
  const [child] = (await vi.waitFor(children, 20_000)).split('\n').map(Number)
  command.kill('SIGHUP')
  expect(await once(command, 'exit')).toEqual([129, null])
  await vi.waitFor(() => expect(() => process.kill(Number(child), 0)).toThrow('ESRCH'), 5_000)
})
