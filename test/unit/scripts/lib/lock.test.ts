import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const source = new URL('../../../../scripts/lib/lock.ts', import.meta.url)

let folder: string
let lock: string
let processes: ChildProcess[]
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'lock-')), 'state')
  lock = join(folder, 'lock')
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

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

describe('The lock of the local state', () => {
  it('is held by one process, and refuses another with one line that names the first', async () => {
    const first = holder('npm start')
    expect(await word(first)).toBe('taken')
    expect(await word(holder('npm run reset'))).toBe(
      `npm start is running in this folder (process ${first.pid}): end it first, with Ctrl-C where it runs.`,
    )
    expect(JSON.parse(await readFile(lock, 'utf8'))).toEqual({
      pid: first.pid,
      started: expect.stringMatching(/./),
      command: 'npm start',
    })
  })

  it('is gone when its process ends', async () => {
    const first = holder('npm start')
    await word(first)
    first.stdin?.end()
    await once(first, 'exit')
    expect(existsSync(lock)).toBe(false)
    expect(await word(holder('npm start'))).toBe('taken')
  })

  it('is taken over from a process that was killed', async () => {
    const first = holder('npm start')
    await word(first)
    first.kill('SIGKILL')
    await once(first, 'exit')
    expect(existsSync(lock)).toBe(true)
    expect(await word(holder('npm start'))).toBe('taken')
  })

  it('is taken over from a process that is gone, whose number another one has now', async () => {
    await word(holder('npm start'))
    const held = JSON.parse(await readFile(lock, 'utf8'))
    await writeFile(lock, JSON.stringify({ ...held, started: `${held.started}0` }))
    expect(await word(holder('npm start'))).toBe('taken')
  })

  it('is held by a process whose start nobody can tell', async () => {
    await mkdir(folder)
    await writeFile(lock, JSON.stringify({ pid: process.pid, command: 'npm start' }))
    expect(await word(holder('npm start'))).toContain(`(process ${process.pid})`)
  })

  it('is taken over when nobody can read it', async () => {
    await mkdir(folder)
    await writeFile(lock, '{"pid":')
    expect(await word(holder('npm start'))).toBe('taken')
  })

  it('goes to exactly one of many that come at once, when its holder is gone', async () => {
    await mkdir(folder)
    await writeFile(lock, JSON.stringify({ pid: await deadPid(), command: 'npm start' }))
    const all = Array.from({ length: 8 }, (_, number) => holder(`command ${number}`))
    const words = await Promise.all(all.map(word))
    expect(words.filter((each) => each === 'taken')).toHaveLength(1)
    expect(words.filter((each) => / is running in this folder /.test(each))).toHaveLength(7)
    expect(await readdir(folder)).toEqual(['lock'])
  })

  it('of another is left alone by a process that ends', async () => {
    const first = holder('npm start')
    await word(first)
    const second = holder('npm run reset')
    await text(second.stdout as NodeJS.ReadableStream)
    expect(JSON.parse(await readFile(lock, 'utf8')).pid).toBe(first.pid)
  })
})
