import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, connected } from '../../scripts/postgres/client.ts'
import { migratedDatabase, rowsOf } from '../unit/migrations/database.ts'

/** A table as both databases can tell it. */
interface Table {
  /** By name: may it be null, and its default. */
  readonly columns: ReadonlyMap<string, string>
  readonly primaryKey: readonly string[]
  /** By name: is it unique, and its columns in their order. */
  readonly indexes: ReadonlyMap<string, string>
  /** Each as a sentence. */
  readonly foreignKeys: readonly string[]
}

/** What PostgreSQL has beside the tables of D1, and why. */
const further: ReadonlyMap<string, string> = new Map([
  ['migrations', 'the tool that applies migrations keeps their names here'],
])

let client: Client

beforeAll(async () => {
  client = await connected(inject('postgresUrl'))
})

afterAll(() => client.end())

const listOf = async (sql: string, ...values: readonly unknown[]) =>
  (await client.query<Record<string, string>>(sql, values)).rows

function tablesOfD1(): Map<string, Table> {
  const database = migratedDatabase()
  const names = rowsOf(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  ).map(({ name }) => String(name))
  return new Map(
    names.map((name) => {
      const columns = rowsOf(database, `PRAGMA table_info(${name})`)
      const indexes = rowsOf(database, `PRAGMA index_list(${name})`).filter(
        ({ origin }) => origin === 'c',
      )
      const keys = rowsOf(database, `PRAGMA foreign_key_list(${name})`)
      return [
        name,
        {
          columns: new Map(
            columns.map((column) => [
              String(column.name),
              `${column.notnull === 1} ${column.dflt_value}`,
            ]),
          ),
          primaryKey: columns
            .filter(({ pk }) => Number(pk) > 0)
            .toSorted((one, other) => Number(one.pk) - Number(other.pk))
            .map((column) => String(column.name)),
          indexes: new Map(
            indexes.map((index) => {
              const parts = rowsOf(database, `PRAGMA index_xinfo(${index.name})`)
                .filter(({ key, cid }) => key === 1 && Number(cid) >= 0)
                .map((part) => `${part.name}${part.desc === 1 ? ' DESC' : ''}`)
              return [String(index.name), `${index.unique === 1} ${parts}`]
            }),
          ),
          foreignKeys: keys
            .map((key) => `${key.from} to ${key.table}.${key.to}, ${key.on_delete}`)
            .toSorted(),
        },
      ] as const
    }),
  )
}

async function tablesOfPostgres(): Promise<Map<string, Table>> {
  const names = (await listOf("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).map(
    ({ tablename = '' }) => tablename,
  )
  const tables = new Map<string, Table>()
  for (const name of names) {
    const columns = await listOf(
      'SELECT column_name, is_nullable, column_default FROM information_schema.columns WHERE table_name = $1',
      name,
    )
    const primaryKey = await listOf(
      `SELECT a.attname FROM pg_constraint c, unnest(c.conkey) WITH ORDINALITY AS k (number, place), pg_attribute a
        WHERE c.conrelid = $1::regclass AND c.contype = 'p' AND a.attrelid = c.conrelid AND a.attnum = k.number ORDER BY k.place`,
      name,
    )
    const indexes = await listOf(
      `SELECT i.relname, x.indisunique::text AS is_unique, pg_get_indexdef(x.indexrelid) AS definition
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = $1::regclass AND NOT x.indisprimary`,
      name,
    )
    const foreignKeys = await listOf(
      "SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'f'",
      name,
    )
    tables.set(name, {
      columns: new Map(
        columns.map(({ column_name = '', is_nullable, column_default }) => [
          column_name,
          `${is_nullable === 'NO'} ${column_default?.replace('::text', '') ?? null}`,
        ]),
      ),
      primaryKey: primaryKey.map(({ attname = '' }) => attname),
      indexes: new Map(
        indexes.map(({ relname = '', is_unique, definition = '' }) => {
          const [, parts = ''] = /\((.*)\)$/.exec(definition) ?? []
          return [relname, `${is_unique} ${parts.replaceAll(', ', ',')}`]
        }),
      ),
      foreignKeys: foreignKeys
        .map(({ definition = '' }) =>
          definition.replace(
            /^FOREIGN KEY \((\w+)\) REFERENCES (\w+)\((\w+)\)(?: ON DELETE (\w+))?$/,
            (_, from, table, to, action = 'NO ACTION') => `${from} to ${table}.${to}, ${action}`,
          ),
        )
        .toSorted(),
    })
  }
  return tables
}

describe('the migrations of both databases', () => {
  it('make the same tables, columns, keys and indexes', async () => {
    const made = await tablesOfPostgres()
    for (const name of further.keys()) {
      expect(made.delete(name)).toBe(true)
    }
    expect(made).toEqual(tablesOfD1())
  })

  it('fill in the same reference data', () => {
    const [d1, postgres] = ['migrations', 'migrations/postgres'].map((folder) =>
      readFileSync(new URL(`../../${folder}/0002_reference_data.sql`, import.meta.url), 'utf8'),
    )
    expect(postgres).toBe(d1)
  })
})
