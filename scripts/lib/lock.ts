import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { complaint } from './complaint.ts'
import { paths } from './config.ts'

/** Who uses the local state. */
interface Holder {
  readonly pid: number
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
  writeFileSync(own, JSON.stringify({ pid: process.pid, command } satisfies Holder))
  try {
    for (let attempts = 0; !isLinked(own, file); attempts++) {
      const holder = holderOf(file)
      if (holder !== undefined && (isAlive(holder.pid) || attempts > 5)) {
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

/** Is the process there? This one's own number in an old lock is a coincidence. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) {
    return false
  }
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
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
  if (taken !== undefined && taken.pid !== seen?.pid) {
    isLinked(aside, file)
  }
  rmSync(aside)
}
