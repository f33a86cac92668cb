import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { complaint } from '../../lib/complaint.ts'
import { paths } from '../../lib/config.ts'
import { inPrivateFolder } from '../../lib/private-file.ts'
import { literal } from '../../lib/sql.ts'
import { wrangler } from '../../lib/wrangler.ts'
import { recountsOf } from '../../operate/counters.ts'
import type { Ask, D1 as Database, Row as Stored } from '../../operate/database.ts'
import type { Client } from '../client.ts'
import type { Row } from './checksum.ts'
import type { Target } from './copy.ts'
import { countsOf, quoted } from './pages.ts'
import type { Table } from './tables.ts'

/** PostgreSQL, by a connection. All that is written is one transaction. */
export function postgresAt(client: Client): Target {
  const ask: Ask = async (statements) => {
    const answers: (readonly Stored[])[] = []
    for (const sql of statements) {
      answers.push((await client.query<Stored>(sql)).rows)
    }
    return answers
  }
  return {
    name: 'PostgreSQL',
    ask,
    async replace(tables, fill) {
      await client.query('BEGIN')
      try {
        // Providers end transactions that do nothing for minutes, as this one does while the source is read once more.
        await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
        const names = tables.map(({ name }) => quoted(name))
        await client.query(`TRUNCATE ${names.join(', ')}, counter_changes`)
        await fill({
          ask,
          async insert(table, rows) {
            if (rows.length > 0) {
              await client.query(insertOf(table), columnsOf(table, rows))
            }
          },
          async settle() {},
        })
        await ask(recountsOf('postgres'))
        await client.query('COMMIT')
      } catch (error) {
        // Where the connection is lost, the server rolls back by itself.
        await client.query('ROLLBACK').catch(() => {})
        throw error
      }
    },
  }
}

/** A statement of PostgreSQL with an array for each column: one text for all numbers of rows. */
function insertOf({ name, columns }: Table): string {
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const arrays = columns.map(
    ({ isNumber }, nth) => `$${nth + 1}::${isNumber ? 'bigint' : 'text'}[]`,
  )
  return `INSERT INTO ${quoted(name)} (${names}) SELECT * FROM unnest(${arrays.join(', ')})`
}

function columnsOf({ columns }: Table, rows: readonly Row[]): readonly (readonly unknown[])[] {
  return columns.map((_, nth) => rows.map((row) => row[nth] ?? null))
}

/** What runs statements on D1. */
export interface D1 {
  readonly ask: Ask
  /** Runs statements that give no rows, one after the other. */
  readonly run: (statements: readonly string[]) => Promise<void>
}

/**
 * The D1 that wrangler reaches. Statements that write go in a file in `.wrangler`, which wrangler sends as a whole. It is gone when the
 * process has ended, unless it was killed with no time for that.
 */
export function d1Of(database: Database): D1 {
  return {
    ask: database.query,
    async run(statements) {
      await mkdir(paths.state, { recursive: true })
      await inPrivateFolder(join(paths.state, 'move-'), async (folder) => {
        const file = join(folder, 'rows.sql')
        await writeFile(file, `${statements.join(';\n')};\n`, { mode: 0o600 })
        await wrangler('d1', 'execute', 'DB', ...database.where, '--yes', '--file', file)
      })
    },
  }
}

/** Characters of a statement, of which D1 takes 100 KB, and of all that are sent together. A character has at most 3 bytes. */
const most = { statement: 30_000, file: 20_000_000 }

/** Rows that one statement deletes. */
const deleted = 10_000

/** D1 as a target. What was written stays where something fails, so that the next attempt has to empty it. */
export function d1At({ ask, run }: D1): Target {
  return {
    name: 'D1',
    ask,
    async replace(tables, fill) {
      const statements = new Collected(run)
      try {
        const present = await countsOf(ask, tables)
        for (const [nth, table] of [...tables.entries()].toReversed()) {
          for (let left = present[nth] ?? 0; left > 0; left -= deleted) {
            await statements.add(deletionOf(table))
          }
        }
        await fill({
          ask,
          insert: (table, rows) => statements.addAll(insertsOf(table, rows)),
          settle: () => statements.end(),
        })
        await run(recountsOf('d1'))
      } catch (error) {
        const { message } = error as Error
        throw complaint(
          `${message}\nD1 may hold a part of the rows now: begin again with --empty`,
          error,
        )
      }
    },
  }
}

function deletionOf({ name, key }: Table): string {
  const columns = key.map(quoted).join(', ')
  return `DELETE FROM ${quoted(name)} WHERE (${columns}) IN (SELECT ${columns} FROM ${quoted(name)} LIMIT ${deleted})`
}

/** Statements that insert rows, each of as many as fit into one. */
function* insertsOf({ name, columns }: Table, rows: readonly Row[]): Generator<string> {
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const start = `INSERT INTO ${quoted(name)} (${names}) VALUES\n`
  let values = ''
  for (const row of rows) {
    const tuple = `(${row.map(sqlOf).join(',')})`
    if (values !== '' && start.length + values.length + tuple.length > most.statement) {
      yield start + values
      values = ''
    }
    values += values === '' ? tuple : `,\n${tuple}`
  }
  if (values !== '') {
    yield start + values
  }
}

function sqlOf(value: Row[number]): string {
  return value === null ? 'NULL' : typeof value === 'number' ? String(value) : literal(value)
}

/** Statements that wait until they are enough to be sent. */
class Collected {
  readonly #run: D1['run']
  #statements: string[] = []
  #length = 0

  constructor(run: D1['run']) {
    this.#run = run
  }

  async add(statement: string): Promise<void> {
    this.#statements.push(statement)
    this.#length += statement.length
    if (this.#length > most.file) {
      await this.end()
    }
  }

  async addAll(statements: Iterable<string>): Promise<void> {
    for (const statement of statements) {
      await this.add(statement)
    }
  }

  /** Sends those that still wait. */
  async end(): Promise<void> {
    const statements = this.#statements
    this.#statements = []
    this.#length = 0
    if (statements.length > 0) {
      await this.#run(statements)
    }
  }
}
