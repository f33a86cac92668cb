import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { complaint } from './complaint.ts'
import { paths } from './config.ts'

/** Who uses the local state. */
interface Holder {
  readonly pid: number
  /** When it started, since numbers of processes are used again; absent where the system does not tell. */
  readonly started?: string | undefined
  /** What it does with it: `npm start`. */
  readonly command: string
}

/** The file that says who uses the state in a folder. */
export const lockName = 'lock'

/**
 * Takes the local state for this process, until it ends: two that write to it would break each other's database. The
 * lock of a process that is gone is taken over.
 *
 * @param command what this process is, for whoever comes second
 * @throws a complaint when another process holds it
 */
export function lockState(command: string, folder: string = paths.state): void {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, lockName)
  const own = `${file}.${process.pid}`
  // Linked under its name only when it is written, so that nobody reads half of it.
  writeFileSync(
    own,
    JSON.stringify({ pid: process.pid, started: startOf(process.pid), command } satisfies Holder),
  )
  try {
    for (let attempts = 0; !isLinked(own, file); attempts++) {
      const holder = holderOf(file)
      if (holder !== undefined && (isAlive(holder) || attempts > 5)) {
        const { command: other, pid } = holder
        throw complaint(
          `${other} is running in this folder (process ${pid}): end it first, with Ctrl-C where it runs.`,
        )
      }
      discard(file, holder)
    }
  } finally {
    rmSync(own, { force: true })
  }
  process.on('exit', () => {
    if (holderOf(file)?.pid === process.pid) {
      rmSync(file, { force: true })
    }
  })
}

/** Gives a file a second name; false where that name is taken. */
function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return false
    }
    throw error
  }
}

function holderOf(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Is the process there, and no other one with its number? This one's own number in an old lock is a coincidence. */
function isAlive({ pid, started }: Holder): boolean {
  if (pid === process.pid) {
    return false
  }
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return started === undefined || started === (startOf(pid) ?? started)
}

/** When a process started, in the words of the system; undefined where it does not tell. */
function startOf(pid: number): string | undefined {
  const [program, ...args]: readonly [string, ...string[]] =
    process.platform === 'win32'
      ? [
          'powershell',
          '-NoProfile',
          '-Command',
          `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`,
        ]
      : ['ps', '-o', 'lstart=', '-p', String(pid)]
  try {
    // Not every Linux has `ps`. The name of the program, in parentheses, may hold anything; the start is the 20th field after it.
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]
      : execFileSync(program, args, {
          encoding: 'utf8',
          env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
          stdio: ['ignore', 'pipe', 'ignore'],
        }).trim()
  } catch {
    return undefined
  }
}

/** Removes the lock of a process that is gone. If somebody has just taken it over, theirs is put back. */
function discard(file: string, seen: Holder | undefined): void {
  const aside = `${file}.gone.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  const taken = holderOf(aside)
  if (JSON.stringify(taken) !== JSON.stringify(seen)) {
    isLinked(aside, file)
  }
  rmSync(aside)
}
