import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { complaint } from './complaint.ts'
import { paths } from './config.ts'

/** The files of the lock: one that is locked, and one that says by whom. */
export const lockFiles = ['lock.db', 'lock.txt'] as const

/** The locks of this process. One that nothing refers to would be given back. */
const held: DatabaseSync[] = []

/**
 * Takes the local state for this process, until it ends: two that write to it would break each other's database. SQLite
 * locks the file, and the system gives it back whichever way the process ends.
 *
 * @param command what this process is, for whoever comes second
 * @throws a complaint when another process holds it
 */
export function lockState(command: string, folder: string = paths.state): void {
  mkdirSync(folder, { recursive: true })
  const [locked, holder] = lockFiles.map((name) => join(folder, name)) as [string, string]
  const database = new DatabaseSync(locked)
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    const who = existsSync(holder)
      ? readFileSync(holder, 'utf8')
      : 'Another command is running here'
    throw complaint(`${who}: end it first, with Ctrl-C where it runs.`, error)
  }
  held.push(database)
  writeFileSync(holder, `${command} is running in this folder (process ${process.pid})`)
}
