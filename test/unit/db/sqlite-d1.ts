import { readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Database } from '../../../src/db/statement.ts'

/** What happens around one round trip: count it, delay it, fail before it or after it. */
export type Around = (texts: readonly string[], run: () => void) => void | Promise<void>

/** A statement of this adapter, as a batch takes it. */
interface Sent {
  readonly text: string
  readonly values: readonly SQLInputValue[]
}

/** The most parameters of one statement (D1, "Limits"). */
const mostParameters = 100

/** SQLite's result codes by name, the primary and the extended ones, as D1 spells them. */
const codes: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  275: 'SQLITE_CONSTRAINT_CHECK',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1299: 'SQLITE_CONSTRAINT_NOTNULL',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
}

/** A database in memory with a schema, foreign keys on as in D1. */
export function sqliteOf(schema: URL): DatabaseSync {
  const sqlite = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  sqlite.exec(readFileSync(schema, 'utf8'))
  return sqlite
}

/**
 * SQLite behind the part of D1's interface that the service uses: positional parameters, rows of batches as
 * objects, a batch as one transaction, values that travel as JSON, and failures in D1's words.
 */
export function sqliteD1(sqlite: DatabaseSync, around: Around = (_, run) => run()): Database {
  const sent = new WeakMap<object, Sent>()
  const trip = async <Rows>(statements: readonly Sent[], asArrays: boolean): Promise<Rows[]> => {
    let rows: Rows[] = []
    await around(
      statements.map(({ text }) => text),
      () => {
        rows = transaction(sqlite, statements, asArrays)
      },
    )
    return rows
  }
  const statementOf = (text: string, values: readonly SQLInputValue[]): D1PreparedStatement => {
    const statement = {
      bind: (...given: unknown[]) => statementOf(text, given.map(bindable)),
      raw: async () => (await trip([{ text, values }], true))[0],
      all: async () => resultOf((await trip([{ text, values }], false))[0]),
    }
    sent.set(statement, { text, values })
    return statement as unknown as D1PreparedStatement
  }
  return {
    prepare: (text) => statementOf(text, []),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      const known = statements.map((statement) => sent.get(statement) ?? raise('foreign statement'))
      return (await trip(known, false)).map(resultOf) as D1Result<Row>[]
    },
  }
}

/** Everything in one transaction: what fails takes all of it back. */
function transaction<Rows>(sqlite: DatabaseSync, statements: readonly Sent[], asArrays: boolean) {
  sqlite.exec('BEGIN')
  try {
    const rows = statements.map(({ text, values }) => {
      if (values.length > mostParameters) {
        throw new Error(`D1_ERROR: too many SQL variables at offset ${text.length}: SQLITE_ERROR`)
      }
      const statement = sqlite.prepare(text)
      statement.setReturnArrays(asArrays)
      return JSON.parse(JSON.stringify(statement.all(...values))) as Rows
    })
    sqlite.exec('COMMIT')
    return rows
  } catch (error) {
    sqlite.exec('ROLLBACK')
    throw asD1Error(error)
  }
}

function resultOf(results: unknown): object {
  return { success: true, results, meta: { rows_read: 0, rows_written: 0, total_attempts: 1 } }
}

function bindable(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') {
    return Number(value)
  }
  if (value === null || typeof value === 'string') {
    return value
  }
  if (typeof value === 'number') {
    return Number.isNaN(value) ? null : value
  }
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${value}'`)
}

function asD1Error(error: unknown): Error {
  const { message, errcode } = error as Error & { readonly errcode?: number }
  if (errcode === undefined) {
    return error as Error
  }
  const extended = errcode > 255 ? ` (extended: ${codes[errcode] ?? errcode})` : ''
  const text = `${message}: ${codes[errcode & 255] ?? errcode}${extended}`
  return new Error(`D1_ERROR: ${text}`, { cause: new Error(text) })
}

function raise(message: string): never {
  throw new Error(message)
}
