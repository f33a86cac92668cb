import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'

/** A server in a process of its own. */
export interface Server {
  readonly url: URL
  /** The process that serves. */
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** What a server process says of itself when it serves. */
interface Ready {
  readonly url: string
  readonly pid: number
}

/**
 * Starts a server. What it logs is dropped, since reading it is not part of serving.
 *
 * @param file the module to run; it calls {@link serves}
 * @param options handed to it as JSON
 * @throws Error when it ends before it serves
 */
export async function startServer(file: string, options: object): Promise<Server> {
  const child = fork(file, [JSON.stringify(options)], {
    execArgv: ['--no-warnings'],
    env: { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false', NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [ready] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`${file} has ended with ${code} before it served`)
    }),
  ])
  const { url, pid }: Ready = ready
  const stop = async (): Promise<void> => {
    child.disconnect()
    await ended
  }
  return { url: new URL(url), pid, stop }
}

/**
 * Tells, in a process that {@link startServer} has started, that it serves. Ends the process when the parent asks for it,
 * or when the parent is gone.
 */
export function serves(ready: Ready, close: () => Promise<void> = async () => {}): void {
  process.send?.(ready)
  process.on('disconnect', async () => {
    await close()
    process.exit()
  })
}

/** The options of a process that {@link startServer} has started. */
export function optionsOf<Options>(): Options {
  return JSON.parse(process.argv[2] ?? '{}')
}

/** Microseconds of CPU that a process has used, of its own and in the kernel, all threads (`proc(5)`). */
export async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 13)
  return ticks.reduce((sum, each) => sum + Number(each), 0) * microsecondsPerTick
}

/** `sysconf(_SC_CLK_TCK)` is 100 on every Linux. */
const microsecondsPerTick = 10_000

/**
 * Microseconds of CPU that the living threads of a process have used, to the nanosecond: for what is shorter than
 * a tick of {@link cpuOf}.
 */
export async function exactCpuOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const times = threads.map(async (thread) => {
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
    return Number(text.split(' ')[0]) / 1000
  })
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0)
}

/** The processes that a process has started. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}
