import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * What a database consists of: the definition of each object by what it is and its name, like `column users.email`. A migration
 * that is applied counts as an object. A CHECK and the condition of a partial index are not compared.
 */
export type Schema = ReadonlyMap<string, string>

/** An object of a database as `sqlite_master` has it, or a migration that is applied, which has no SQL. */
export interface StoredObject {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

/** Asks a database for its objects and for the migrations that were applied to it. */
export const objectsQuery = `SELECT type, name, sql FROM sqlite_master
  UNION ALL SELECT 'migration', name, NULL FROM d1_migrations`

/** What D1, wrangler and SQLite make for themselves. */
const platformObjects = /^(?:_cf_|sqlite_|d1_migrations$)/

/** What the migrations make in a fresh database. */
export function expectedSchema(folder: string): Schema {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return readSchema((database) => {
    for (const file of files) {
      database.exec(readFileSync(join(folder, file), 'utf8'))
    }
    return files.map((name) => [`migration ${name}`, 'applied'])
  })
}

/**
 * What a database consists of that may be elsewhere. It is built again here, so that two texts of SQL with the same meaning
 * count as the same.
 */
export function schemaOf(objects: readonly StoredObject[]): Schema {
  const own = objects.filter(({ name }) => !platformObjects.test(name))
  // An index, a trigger or a view needs its table.
  const inOrder = own.toSorted((a, b) => Number(b.type === 'table') - Number(a.type === 'table'))
  return readSchema((database) =>
    inOrder.flatMap(({ type, name, sql }) => {
      try {
        database.exec(sql ?? '')
        return type === 'migration' ? [[`migration ${name}`, 'applied']] : []
      } catch {
        // The inner tables of a virtual one, say: no migration makes any.
        return [[`${type} ${name}`, sql ?? '']]
      }
    }),
  )
}

/**
 * Compares what is with what should be.
 *
 * @returns a phrase for each object that differs, none where all is as it should be. What belongs to a table that is missing,
 *   or should not be there, is not named on its own, but for indexes and triggers
 */
export function differences(expected: Schema, actual: Schema): readonly string[] {
  const hasTableOf = (schema: Schema, object: string) => {
    const [, table] = /^(?:column|constraint|foreign key|unique key) ([^.]+)/.exec(object) ?? []
    return table === undefined || schema.has(`table ${table}`)
  }
  const missing = [...expected.keys()].filter((object) => !actual.has(object))
  const unknown = [...actual.keys()].filter((object) => !expected.has(object))
  const different = [...expected].filter(
    ([object, should]) => (actual.get(object) ?? should) !== should,
  )
  return [
    ...missing.filter((object) => hasTableOf(actual, object)).map((object) => `missing: ${object}`),
    ...unknown
      .filter((object) => hasTableOf(expected, object))
      .map((object) => `not of these migrations: ${object}`),
    ...different.map(
      ([object, should]) =>
        `different: ${object} is "${actual.get(object)}" and should be "${should}"`,
    ),
  ]
}

/** Fills a database in memory, and reads what it consists of. `fill` gives what the database itself does not tell. */
function readSchema(
  fill: (database: DatabaseSync) => readonly (readonly [string, string])[],
): Schema {
  const database = new DatabaseSync(':memory:')
  try {
    const more = fill(database)
    return new Map([...more, ...definitionsIn(database)])
  } finally {
    database.close()
  }
}

/** The definition of each object in a database. */
function definitionsIn(database: DatabaseSync): readonly (readonly [string, string])[] {
  const all = <Row>(sql: string, ...values: readonly string[]) =>
    database.prepare(sql).all(...values) as unknown as readonly Row[]
  const tables = all<{ name: string; wr: number; strict: number }>(
    "SELECT name, wr, strict FROM pragma_table_list WHERE type <> 'view' AND name NOT GLOB 'sqlite_*'",
  )
  const others = all<{ type: string; name: string; tbl_name: string }>(
    "SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('trigger', 'view')",
  )
  return [
    ...tables.flatMap(({ name, wr, strict }) => [
      [`table ${name}`, `${wr ? 'WITHOUT' : 'with'} ROWID${strict ? ', STRICT' : ''}`] as const,
      ...columnsOf(name),
      ...foreignKeysOf(name),
      ...indexesOf(name),
    ]),
    ...others.map(({ type, name, tbl_name }) => [`${type} ${name}`, `on ${tbl_name}`] as const),
  ]

  function columnsOf(table: string) {
    const columns = all<{
      name: string
      type: string
      notnull: number
      dflt_value: string | null
      pk: number
      hidden: number
    }>('SELECT * FROM pragma_table_xinfo(?)', table)
    return columns.map(({ name, type, notnull, dflt_value: value, pk, hidden }) => {
      const definition = [
        type.toLowerCase(),
        ...(notnull ? ['NOT NULL'] : []),
        ...(value === null ? [] : [`DEFAULT ${value}`]),
        ...(pk ? [`PRIMARY KEY ${pk}`] : []),
        ...(hidden ? ['GENERATED'] : []),
      ]
      return [`column ${table}.${name}`, definition.join(' ')] as const
    })
  }

  function foreignKeysOf(table: string) {
    const keys = all<{ columns: string; target: string; on_update: string; on_delete: string }>(
      `SELECT group_concat("from") AS columns, "table" || '(' || group_concat("to") || ')' AS target, on_update, on_delete
        FROM (SELECT * FROM pragma_foreign_key_list(?) ORDER BY seq) GROUP BY id`,
      table,
    )
    return keys.map(({ columns, target, on_update, on_delete }) => {
      const definition = `to ${target} ON UPDATE ${on_update} ON DELETE ${on_delete}`
      return [`foreign key ${table}.${columns}`, definition] as const
    })
  }

  function indexesOf(table: string) {
    // Primary keys are told with the columns.
    const indexes = all<{ name: string; unique: number; origin: string; partial: number }>(
      "SELECT * FROM pragma_index_list(?) WHERE origin <> 'pk'",
      table,
    )
    return indexes.map(({ name, unique, origin, partial }) => {
      const columns = all<{ name: string | null; coll: string; desc: number }>(
        'SELECT * FROM pragma_index_xinfo(?) WHERE key',
        name,
      ).map((each) => `${each.name ?? 'an expression'} ${each.coll}${each.desc ? ' DESC' : ''}`)
      const definition = `${unique ? 'UNIQUE ' : ''}on ${table} (${columns.join(', ')})`
      const object = origin === 'u' ? `unique key ${table}.${columns.join()}` : `index ${name}`
      return [object, partial ? `${definition} WHERE` : definition] as const
    })
  }
}
