import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** What a database consists of: the definition of each object by what it is and its name, like `index users_owner`. */
export type Schema = ReadonlyMap<string, string>

/** An object of a database of D1, or a migration that is applied, which has no SQL. */
export interface StoredObject {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

/** Asks a database of D1 for its objects but for those of the platform, and for the migrations that were applied to it. */
export const objectsQuery = `SELECT type, name, sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND substr(name, 1, 4) <> '_cf_' AND substr(name, 1, 7) <> 'sqlite_' AND name <> 'd1_migrations'
  UNION ALL SELECT 'migration', name, NULL FROM d1_migrations`

/** The migrations of a folder, in their order. */
export function migrationsIn(folder: string): { readonly name: string; readonly sql: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }))
}

/** What the migrations make in a fresh database of D1. */
export function expectedSchema(folder: string): Schema {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE d1_migrations (name TEXT)')
  for (const { name, sql } of migrationsIn(folder)) {
    database.exec(sql)
    database.prepare('INSERT INTO d1_migrations VALUES (?)').run(name)
  }
  const objects = database.prepare(objectsQuery).all() as unknown as StoredObject[]
  database.close()
  return schemaOf(objects)
}

/** The schema that objects make. White space, quotation marks of names and capital letters make no difference. */
export function schemaOf(objects: readonly StoredObject[]): Schema {
  return new Map(
    objects.map(({ type, name, sql }) => [
      `${type} ${name}`,
      (sql ?? 'applied')
        .replace(/[`"[\]]/g, '')
        .replace(/\s*([(),])\s*|\s+/g, (_, sign) => sign ?? ' ')
        .toLowerCase(),
    ]),
  )
}

/**
 * Compares what is with what should be.
 *
 * @returns a phrase for each object that differs; none where all is as it should be
 */
export function differences(expected: Schema, actual: Schema): readonly string[] {
  const objects = [...new Set([...expected.keys(), ...actual.keys()])]
  const phrase = (schema: Schema, object: string) => schema.get(object) ?? 'missing'
  return objects
    .filter((object) => expected.get(object) !== actual.get(object))
    .map(
      (object) =>
        `${object} is ${phrase(actual, object)}, and should be ${phrase(expected, object)}`,
    )
}
