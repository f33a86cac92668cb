import { paths } from '../lib/config.ts'
import { connected, takeTime } from './client.ts'

/**
 * Applies the migrations of PostgreSQL that a database lacks, all of them or none. It waits 5 s at most for another one that does so, and
 * for a table that requests use: all others would wait behind it meanwhile.
 *
 * @param url of the database, for a user who may make tables
 * @param folder the migrations, as files of SQL
 * @returns the names of the migrations that were applied
 */
export async function migrate(
  url: string,
  folder: string = paths.postgresMigrations,
): Promise<string[]> {
  const client = await connected(url)
  try {
    await takeTime(client)
    const { runner } = await import('node-pg-migrate')
    const applied: { readonly name: string }[] = await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable: 'migrations',
      singleTransaction: true,
      advisoryLockMode: 'wait',
      log: () => {},
    })
    return applied.map(({ name }) => name)
  } finally {
    await client.end()
  }
}
