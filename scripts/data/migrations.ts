import { DatabaseSync } from 'node:sqlite'
import { migrationsIn } from '../deploy/schema.ts'
import { paths } from '../lib/config.ts'

/**
 * What the tables of a database have, each as a phrase. Types are left out, since the engines have different ones. The epoch is 0 for D1,
 * and 'epoch' for PostgreSQL.
 */
const facts = `
  SELECT 'column ' || t.name || '.' || c.name || iif(c.'notnull' OR c.pk, ' not null', '') ||
      coalesce(' default ' || iif(c.dflt_value = '''epoch''', '0', c.dflt_value), '') || iif(c.pk, ' primary key ' || c.pk, '') AS fact
    FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'
  UNION ALL SELECT iif(i.'unique', 'unique ', '') || 'index ' || i.name || ' on ' || t.name || ' (' ||
      (SELECT group_concat(name || iif(desc, ' desc', ''), ', ') FROM pragma_index_xinfo(i.name) WHERE key AND name IS NOT NULL) || ')'
    FROM sqlite_schema t JOIN pragma_index_list(t.name) i WHERE t.type = 'table' AND i.origin = 'c'
  UNION ALL SELECT 'reference from ' || t.name || '.' || f.'from' || ' to ' || f.'table' || '.' || f.'to' || ' on delete ' || lower(f.on_delete)
    FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table'
  ORDER BY 1`

/** Finds what the migrations of a folder make. SQLite reads what PostgreSQL is told, too. */
function factsOf(folder: string): readonly string[] {
  const database = new DatabaseSync(':memory:')
  for (const { sql } of migrationsIn(folder)) {
    database.exec(sql)
  }
  const rows = database.prepare(facts).all()
  database.close()
  return rows.map(({ fact }) => String(fact))
}

/**
 * Compares what the migrations of D1 and of PostgreSQL make.
 *
 * @returns a phrase for each column, index and reference that only one of them has
 */
export function migrationDifferences(
  d1 = paths.migrations,
  postgres = paths.postgresMigrations,
): readonly string[] {
  const [inD1, inPostgres] = [factsOf(d1), factsOf(postgres)]
  return [
    ...inPostgres.filter((fact) => !inD1.includes(fact)).map((fact) => `D1 lacks ${fact}`),
    ...inD1.filter((fact) => !inPostgres.includes(fact)).map((fact) => `PostgreSQL lacks ${fact}`),
  ]
}

/** A migration that drizzle-kit has written for D1, as PostgreSQL takes it. */
export function forPostgres(sql: string): string {
  return sql.replaceAll('`', '').replaceAll(/\) WITHOUT ROWID;/g, ');')
}
