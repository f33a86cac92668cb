import { join } from 'node:path'
import { installed } from '../lib/install.ts'

const folder = join(import.meta.dirname, '..', '..', 'migrations-postgres')

/**
 * Applies the migrations of PostgreSQL that a database lacks, all of them or none. Two that do so at the same time wait for each other.
 *
 * @param url of the database, for a user who may make tables
 * @returns the names of the migrations that were applied
 */
export async function migrate(url: string): Promise<string[]> {
  await installed(import.meta.dirname)
  const { runner } = await import('node-pg-migrate')
  const applied = await runner({
    databaseUrl: url,
    dir: folder,
    direction: 'up',
    migrationsTable: 'migrations',
    log: () => {},
  })
  return applied.map(({ name }) => name)
}
