import { complaint } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import type { Wrangler } from '../lib/wrangler.ts'
import { nameOf, reached } from '../postgres/address.ts'
import type { Client } from '../postgres/client.ts'
import { demandLocale, demandRights, demandTimeouts } from '../postgres/demands.ts'
import { migrate as applyMigrations } from '../postgres/migrate.ts'

/**
 * Where the Worker's Hyperdrive leads to. Cloudflare never shows the password.
 *
 * @param id of the configuration
 * @param where arguments of wrangler that name the Worker
 * @throws a complaint where it answers reads from memory, which it does by default: nobody would read their own writes
 */
export async function originOf(wrangler: Wrangler, id: string, where: readonly string[]) {
  const { caching, origin = {} } = JSON.parse(await wrangler('hyperdrive', 'get', id, ...where))
  if (caching?.disabled !== true) {
    throw complaint(
      `Hyperdrive ${id} answers reads from a cache, so that nobody would read their own writes: npx wrangler hyperdrive update ${id} --caching-disabled`,
    )
  }
  return origin as { readonly database?: string; readonly user?: string }
}

/**
 * Applies the migrations, all of them or none.
 *
 * @param url of the database, for the owner of its tables
 * @param origin where the Worker's Hyperdrive leads to
 * @param folder the migrations, as files of SQL
 * @throws a complaint when it is another database, its locale, or timeouts or rights of the Worker's user, are wrong, a migration fails, or the Worker's user may not read a table
 */
export async function migratePostgres(
  { print }: { readonly print: (line: string) => void },
  url: string,
  origin: Awaited<ReturnType<typeof originOf>>,
  folder: string = paths.postgresMigrations,
): Promise<void> {
  const name = nameOf(url)
  const database = decodeURIComponent(new URL(url).pathname.slice(1))
  if (origin.database !== undefined && origin.database !== database) {
    throw complaint(`Hyperdrive leads to ${origin.database}, and POSTGRES_URL to ${name}.`)
  }
  const client = await reached(url)
  try {
    await demandLocale(client)
    if (origin.user !== undefined) {
      await demandTimeouts(client, origin.user)
      await demandRights(client, origin.user)
    }
    const [now] = (await client.query<{ now: Date }>('SELECT now()')).rows
    print(`Before this deployment it was ${now?.now.toISOString()} in ${name}`)
    const applied = await applyMigrations(url, folder).catch((error: Error) => {
      const fact = 'No version was deployed, and no migration was applied: all are one transaction.'
      throw complaint(`A migration fails: ${error.message}\n${fact}`, error)
    })
    print(`Migrations applied: ${applied.join(', ') || 'none, all are there'}`)
    const table = await unreadable(client, origin.user)
    if (table !== undefined) {
      throw complaint(
        `No version was deployed: ${origin.user} may not read the table ${table}. docs/postgres.md, "Deploying", says how to go on.`,
      )
    }
  } finally {
    await client.end()
  }
}

/** A table that the Worker's user may not read; undefined if there is none, or the server does not know the user. */
async function unreadable(client: Client, user = ''): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c, pg_roles r
      WHERE r.rolname = $1 AND c.relkind = 'r' AND c.relnamespace = to_regnamespace(current_schema()::text)
        AND c.relname <> 'migrations' AND NOT has_table_privilege(r.oid, c.oid, 'SELECT') ORDER BY c.relname`,
    [user],
  )
  return rows[0]?.name
}
