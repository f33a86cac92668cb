import { complaint } from '../lib/complaint.ts'
import { engineOf } from '../lib/config.ts'
import { type Database, d1From, d1Help, d1Options } from './database.ts'
import { postgres } from './postgres.ts'

/** Options that name a database of any kind, and what a help says of them. */
export const databaseOptions = { ...d1Options, database: { type: 'string' } } as const

/** The lines of a help about {@link databaseOptions}. */
export const databaseHelp = `${d1Help}
  --database <db>  postgres: the one that the variable POSTGRES_URL tells, in place of D1`

/**
 * The database that the options name.
 *
 * @throws a complaint about options that make no sense together
 */
export function databaseFrom({
  database,
  ...values
}: Parameters<typeof d1From>[0] & { readonly database?: string | undefined }): Database {
  if (engineOf(database) === 'd1') {
    return d1From(values)
  }
  if (values.env !== undefined || values.remote) {
    throw complaint('POSTGRES_URL tells where the database is: leave out --env and --remote.')
  }
  return postgres()
}
