import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Server } from '../server/process.ts'

const run = promisify(execFile)

/** The command that counts the instructions of the command behind it, from when it is told to. It writes what it counts to a file. */
export function countingCommand(file: string): string {
  // Compiled JavaScript is code that changes while it runs, which Valgrind must be told to expect. V8 compiles in threads of its own,
  // which wait for long where threads do not take turns.
  return `valgrind --fair-sched=yes --tool=callgrind --instr-atstart=no --smc-check=all-non-file --log-file=/dev/null --callgrind-out-file='${file}'`
}

/** @throws Error where Valgrind is not installed */
export async function demandValgrind(): Promise<void> {
  try {
    await run('valgrind', ['--version'])
  } catch (cause) {
    const detail = 'Instructions are counted by Valgrind. Install it: apt-get install valgrind'
    throw new Error(detail, { cause })
  }
}

/** Counts the instructions that a process executes while some work is done, all threads, in user space. */
export type Counter = (work: () => Promise<unknown>) => Promise<number>

/**
 * Makes the counter of a server that runs under {@link countingCommand}.
 *
 * @param file what the command was given
 */
export function counterOf({ pid }: Server, file: string): Counter {
  const tell = (...words: string[]) => run('callgrind_control', [...words, String(pid)])
  let dumps = 0
  return async (work) => {
    await tell('--instr=on')
    await work()
    await tell('--instr=off')
    await tell('--dump')
    dumps += 1
    const dump = `${file}.${dumps}`
    const [, total] = /^totals: (\d+)$/m.exec(await readFile(dump, 'utf8')) ?? []
    await rm(dump)
    if (total === undefined) {
      throw new Error(`${dump} tells no total`)
    }
    return Number(total)
  }
}
