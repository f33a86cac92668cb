import { currentDeployment, versionOnOther } from '../deploy/live.ts'
import { complaint } from '../lib/complaint.ts'
import { engineOf } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { type Database, d1From, d1Help, d1Options } from './database.ts'
import { postgres } from './postgres.ts'

/** Options that name a database of any kind, and what a help says of them. */
export const databaseOptions = { ...d1Options, database: { type: 'string' } } as const

/** The lines of a help about {@link databaseOptions}. */
export const databaseHelp = `${d1Help}
  --database <db>  postgres, in place of D1: the database that POSTGRES_URL names`

/**
 * The database that the options name.
 *
 * @throws a complaint about options that make no sense together, and where callers see another database than this one
 */
export async function databaseFrom({
  database,
  ...values
}: Parameters<typeof d1From>[0] & {
  readonly database?: string | undefined
}): Promise<Database> {
  if (engineOf(database) === 'postgres') {
    if (values.env !== undefined || values.remote) {
      throw complaint('POSTGRES_URL names the database: leave out --env and --remote.')
    }
    return postgres()
  }
  const d1 = d1From(values)
  const live = d1.isLocal ? undefined : await currentDeployment(wrangler, d1.worker)
  const other = versionOnOther(live, 'd1')
  if (other) {
    throw complaint(
      `The version ${other.id} has traffic and uses ${other.engine ?? 'no database'}: what callers see is not in ${d1.name}. On PostgreSQL, say --database postgres.`,
    )
  }
  return d1
}
