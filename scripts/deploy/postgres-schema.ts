import type { Client } from '../postgres/client.ts'
import { migrationsIn, type Schema } from './schema.ts'

/**
 * What the migrations make in an empty schema. They run in one of its own beside the real one, in a transaction that is undone, so
 * that the server itself says what their SQL means. Nobody else sees it, and no other server is needed.
 *
 * @param folder the migrations, as files of SQL
 */
export async function expectedSchema(client: Client, folder: string): Promise<Schema> {
  const migrations = migrationsIn(folder)
  await client.query('BEGIN')
  try {
    await client.query('CREATE SCHEMA expected_by_deployment')
    await client.query('SET LOCAL search_path = expected_by_deployment')
    for (const { sql } of migrations) {
      await client.query(sql)
    }
    const names = migrations.map(({ name }) => name.replace(/\.sql$/, ''))
    return new Map([...names.map(asMigration), ...(await objectsIn(client))])
  } finally {
    await client.query('ROLLBACK')
  }
}

/** What a database consists of. */
export async function actualSchema(client: Client): Promise<Schema> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations')
  const names = rows.map(({ name }) => name)
  return new Map([...names.map(asMigration), ...(await objectsIn(client))])
}

const asMigration = (name: string) => [`migration ${name}`, 'applied'] as const

/**
 * The objects of the first schema of the search path, each with its definition in the server's own words, but for those of extensions
 * and of the tool that applies migrations. That a column is not null stands with the column, on every version of the server.
 */
const objectsQuery = `
  WITH own AS (
    SELECT c.oid, c.relname, c.relkind, c.relpersistence FROM pg_class c
    WHERE c.relnamespace = to_regnamespace(current_schema()::text) AND c.relname !~ '^migrations(_|$)'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  )
  SELECT CASE relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'view ' WHEN 'S' THEN 'sequence ' ELSE 'table ' END || relname AS object,
    concat(relkind, relpersistence) || CASE WHEN relkind IN ('v', 'm') THEN ' ' || pg_get_viewdef(oid, true) ELSE '' END AS definition
    FROM own WHERE relkind <> 'i'
  UNION ALL SELECT 'column ' || relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod),
    CASE WHEN attcollation NOT IN (0, (SELECT typcollation FROM pg_type t WHERE t.oid = atttypid))
      THEN 'COLLATE ' || (SELECT collname FROM pg_collation l WHERE l.oid = attcollation) END,
    CASE WHEN attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(adbin, adrelid),
    'IDENTITY ' || nullif(attidentity::text, ''), 'GENERATED ' || nullif(attgenerated::text, ''))
    FROM own JOIN pg_attribute a ON attrelid = own.oid LEFT JOIN pg_attrdef ON adrelid = own.oid AND adnum = attnum
    WHERE relkind IN ('r', 'p', 'f') AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT 'index ' || relname, pg_get_indexdef(own.oid, 0, true) || CASE WHEN NOT indisvalid THEN ', invalid' ELSE '' END
    FROM own JOIN pg_index ON indexrelid = own.oid WHERE relkind = 'i'
  UNION ALL SELECT 'constraint ' || relname || '.' || conname, pg_get_constraintdef(k.oid, true)
    FROM own JOIN pg_constraint k ON conrelid = own.oid WHERE contype <> 'n'
  UNION ALL SELECT 'trigger ' || tgname, pg_get_triggerdef(g.oid, true)
    FROM own JOIN pg_trigger g ON tgrelid = own.oid WHERE NOT tgisinternal
  UNION ALL SELECT 'function ' || proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    concat_ws(' ', pg_get_function_result(p.oid), lanname, provolatile, proisstrict, prosecdef, prosrc)
    FROM pg_proc p JOIN pg_language l ON l.oid = prolang
    WHERE pronamespace = to_regnamespace(current_schema()::text)
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')`

async function objectsIn(client: Client): Promise<readonly (readonly [string, string])[]> {
  const { rows } = await client.query<{ object: string; definition: string }>(objectsQuery)
  return rows.map(({ object, definition }) => [object, definition])
}
