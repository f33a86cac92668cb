import { createReadStream } from 'node:fs'
import { constants, DatabaseSync } from 'node:sqlite'
import { complaint } from '../lib/complaint.ts'
import { type Ask, objectsOf, type Row, type RowCounts, rowCounts } from './database.ts'

/** What a file of SQL makes of an empty database, and what the mark at its end says that it should. */
export interface Contents {
  readonly rows: RowCounts
  /** Tables, indexes and triggers. */
  readonly objects: readonly string[]
  /** Undefined where the file does not end with a mark. */
  readonly mark: RowCounts | undefined
}

const markBegins = '-- The backup ends here. Rows by table: '

/** The longest statement that D1 takes, in characters at most. */
const longestStatement = 100_000

/** The line that ends a backup: a comment of SQL with the rows of each table. A file that was cut off cannot have it. */
export function markOf(rows: RowCounts): string {
  return `\n${markBegins}${JSON.stringify(rows)}\n`
}

/**
 * Runs a file of SQL in a temporary database, which SQLite removes by itself, and looks at what it has made. So rows are counted
 * as they will be restored, however the file writes them.
 *
 * @throws a complaint when the file is not SQL to its end
 */
export async function readBackup(file: string): Promise<Contents> {
  const db = new DatabaseSync('')
  try {
    // A file must not reach other files of this machine.
    db.setAuthorizer((action) =>
      action === constants.SQLITE_ATTACH ? constants.SQLITE_DENY : constants.SQLITE_OK,
    )
    const mark = await run(db, file)
    const ask: Ask = async (statements) => statements.map((sql) => db.prepare(sql).all() as Row[])
    return { rows: await rowCounts(ask), objects: await objectsOf(ask), mark }
  } catch (error) {
    throw complaint(`${file} is no whole backup: ${(error as Error).message}.`, error)
  } finally {
    db.close()
  }
}

/** Runs the statements of a file in one transaction, and gives the mark behind them. */
async function run(db: DatabaseSync, file: string): Promise<RowCounts | undefined> {
  db.exec('BEGIN; PRAGMA defer_foreign_keys = on')
  let sql = ''
  for await (const line of linesOf(file)) {
    sql += line
    if (/;\s*$/.test(line) && execute(db, sql)) {
      sql = ''
    }
  }
  const mark = markIn(sql)
  if (mark === undefined) {
    db.exec(sql)
  }
  db.exec('COMMIT')
  return mark
}

/** Runs a statement; false where it goes on after this line, as SQLite tells: in a text, or in the body of a trigger. */
function execute(db: DatabaseSync, sql: string): boolean {
  try {
    db.exec(sql)
    return true
  } catch (error) {
    const goesOn = /^(?:incomplete input|unrecognized token)/.test((error as Error).message)
    if (goesOn && sql.length <= longestStatement) {
      return false
    }
    throw error
  }
}

/** The rows that a mark names; undefined where the text is none. */
function markIn(text: string): RowCounts | undefined {
  const line = text.trim()
  try {
    return line.startsWith(markBegins) ? JSON.parse(line.slice(markBegins.length)) : undefined
  } catch {
    return undefined
  }
}

/** The lines of a file, each with the character that ends it. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const [first = '', ...lines] = String(chunk).split('\n')
    rest += first
    for (const line of lines) {
      yield `${rest}\n`
      rest = line
    }
  }
  yield rest
}
