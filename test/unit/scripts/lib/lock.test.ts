import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const source = new URL('../../../../scripts/lib/lock.ts', import.meta.url)

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

const running = (command: string, { pid }: ChildProcess) =>
  `${command} is running in this folder (process ${pid}): end it first, with Ctrl-C where it runs.`

describe('The lock of the local state', () => {
  it('is held by one process, and refuses others with one line that names it', async () => {
    const first = holder('npm start')
    expect(await word(first)).toBe('taken')
    expect(await word(holder('npm run reset'))).toBe(running('npm start', first))
    expect(await word(holder('npm run reset'))).toBe(running('npm start', first))
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'is free when its process ends by %s',
    async (signal) => {
      const first = holder('npm start')
      await word(first)
      first.kill(signal)
      await once(first, 'exit')
      expect(await word(holder('npm start'))).toBe('taken')
    },
  )

  it('goes to exactly one of many that come at once', async () => {
    const all = Array.from({ length: 8 }, (_, number) => holder(`command ${number}`))
    const words = await Promise.all(all.map(word))
    expect(words.filter((each) => each === 'taken')).toHaveLength(1)
    expect(words.filter((each) => / is running in this folder/.test(each))).toHaveLength(7)
  })
})
