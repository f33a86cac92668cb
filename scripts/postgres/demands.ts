import { complaint } from '../lib/complaint.ts'
import type { Client } from './client.ts'

/** The longest that each timeout of the service's role may be, in milliseconds. The service counts on them. */
export const timeouts = {
  statement_timeout: 5_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 3_000,
} as const

/**
 * Sees that a database has the locale C, by which texts are sorted as in SQLite, and writes times as ISO 8601 does.
 *
 * @throws a complaint with the statement that makes such a database
 */
export async function demandLocale(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; isC: boolean; style: string }>(
    `SELECT current_database() AS name, 'Z' < 'a' AS "isC", current_setting('datestyle') AS style`,
  )
  for (const { name, style } of rows.filter((row) => !row.style.startsWith('ISO'))) {
    throw complaint(
      `The database ${name} writes times in the style ${style}, which the service does not read:\n  ALTER DATABASE ${name} SET datestyle = 'ISO';`,
    )
  }
  for (const { name } of rows.filter(({ isC }) => !isC)) {
    throw complaint(
      `The locale of the database ${name} is not C, by which texts are sorted as their bytes. It cannot be changed. Make another database, and move the data there:\n  CREATE DATABASE ${name}_c LOCALE 'C' TEMPLATE template0;`,
    )
  }
}

/**
 * Sees that a role has the timeouts that end what the service has given up.
 *
 * @param role of the service; that of this connection if absent
 * @throws a complaint with the statements that mend it
 */
export async function demandTimeouts(client: Client, role?: string): Promise<void> {
  // A setting of the role in this database comes before one of the role, and that one before one of the database.
  const { rows } = await client.query<{ own: string; name: string; longest: string }>(
    `SELECT own, name, longest
      FROM coalesce($1, current_user::text) AS own, json_each_text($2) AS timeouts (name, longest)
        LEFT JOIN LATERAL (
          SELECT substr(setting, length(name) + 2) AS value
            FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole, unnest(s.setconfig) AS setting
            WHERE starts_with(setting, name || '=') AND (r.rolname = own OR s.setrole = 0)
              AND (s.setdatabase = 0 OR s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))
            ORDER BY s.setrole = 0, s.setdatabase = 0 LIMIT 1) AS held ON true
      WHERE coalesce(extract(epoch FROM (value || CASE WHEN value ~ '\\d$' THEN 'ms' ELSE '' END)::interval), 0) * 1000
        NOT BETWEEN 1 AND longest::int`,
    [role ?? null, JSON.stringify(timeouts)],
  )
  const [first] = rows
  if (first !== undefined) {
    const statements = rows.map(
      ({ own, name, longest }) => `  ALTER ROLE ${own} SET ${name} = ${longest};`,
    )
    const fact = `The role ${first.own} lacks timeouts that end what the service has given up:`
    throw complaint([fact, ...statements].join('\n'))
  }
}

/**
 * Sees that a role may ask for the transaction of a write, and later for its outcome. Without that no write works.
 *
 * @param role of the service; that of this connection if absent
 * @throws a complaint with the statements that mend it, where the server has what they name
 */
export async function demandRights(client: Client, role?: string): Promise<void> {
  const { rows } = await client.query<{ own: string; needed: string }>(
    `SELECT rolname AS own, needed FROM pg_roles, LATERAL (VALUES
        ('EXECUTE ON FUNCTION pg_current_xact_id', has_function_privilege(oid, to_regproc('pg_current_xact_id'), 'EXECUTE')),
        ('EXECUTE ON FUNCTION pg_xact_status', has_function_privilege(oid, to_regproc('pg_xact_status'), 'EXECUTE')),
        ('SELECT ON pg_stat_wal', has_table_privilege(oid, to_regclass('pg_stat_wal'), 'SELECT'))) AS rights (needed, held)
      WHERE rolname = coalesce($1, current_user) AND held IS NOT TRUE`,
    [role ?? null],
  )
  if (rows.length > 0) {
    const statements = rows.map(({ own, needed }) => `  GRANT ${needed} TO ${own};`)
    throw complaint(['The role of the service lacks what writes need:', ...statements].join('\n'))
  }
}
