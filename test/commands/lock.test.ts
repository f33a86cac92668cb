import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const source = new URL('../../scripts/lib/lock.ts', import.meta.url)

let folder: string
let processes: ChildProcess[]
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'lock-')), 'state')
  processes = []
})
afterEach(async () => {
  for (const each of processes) {
    each.kill('SIGKILL')
  }
  await rm(join(folder, '..'), { recursive: true })
})

/** A process that takes the lock, says so, and holds it until its input ends. */
function holder(command: string) {
  const program = `
    import { lockState } from ${JSON.stringify(source.href)}
    try {
      lockState(${JSON.stringify(command)}, ${JSON.stringify(folder)})
      console.log('taken')
      process.stdin.on('end', () => process.exit()).resume()
    } catch (error) {
      console.log(error.message)
    }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  processes.push(child)
  return child
}

/** The first thing that a process says. */
async function word(child: ChildProcess): Promise<string> {
  const [data] = await once(child.stdout as NodeJS.ReadableStream, 'data')
  return String(data).trim()
}

describe('The lock of the local state', () => {
  it('goes to one of many that come at once, whom the others name in one line, and is free when its process is killed', async () => {
    const all = Array.from({ length: 4 }, (_, number) => holder(`command ${number}`))
    const words = await Promise.all(all.map(word))
    const first = words.indexOf('taken')
    const { pid } = all[first] as ChildProcess
    expect(words.toSpliced(first, 1)).toHaveLength(3)
    for (const each of words.toSpliced(first, 1)) {
      expect([
        `command ${first} is running in this folder (process ${pid}): end it first, with Ctrl-C where it runs.`,
        // It has taken the lock and not said so yet.
        'Another command is running in this folder: end it first, with Ctrl-C where it runs.',
      ]).toContain(each)
    }
    const second = holder('npm run reset')
    expect(await word(second)).toContain(
      `command ${first} is running in this folder (process ${pid})`,
    )

    all[first]?.kill('SIGKILL')
    await once(all[first] as ChildProcess, 'exit')
    expect(await word(holder('npm start'))).toBe('taken')
  })
})
