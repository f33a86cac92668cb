import { readOptions } from '../deploy/options.ts'
import { complaint } from '../lib/complaint.ts'
import { engineOf } from '../lib/config.ts'
import { type Database, d1 } from './database.ts'
import { postgres } from './postgres.ts'

/** Options that name the database of an environment, for commands that write what is stored anew. */
export const storedOptions = {
  env: { type: 'string' },
  local: { type: 'string' },
  database: { type: 'string' },
} as const

/** The lines of a help about {@link storedOptions}. */
export const storedHelp = `  --env <name>         staging or production
  --local <directory>  the local database that is kept there, in place of the one at Cloudflare
  --database <db>      postgres: the one that the variable POSTGRES_URL tells, in place of --env`

/**
 * The database that the options name.
 *
 * @throws a complaint where they name none, or two
 */
export function storedDatabase({
  env,
  local,
  database,
}: {
  readonly env?: string | undefined
  readonly local?: string | undefined
  readonly database?: string | undefined
}): Database {
  if (engineOf(database) === 'postgres') {
    if (env !== undefined || local !== undefined) {
      throw complaint('POSTGRES_URL tells where the database is: leave out --env and --local.')
    }
    return postgres()
  }
  if (env === undefined) {
    throw complaint('Which environment? Name it with --env.')
  }
  readOptions(['--env', env])
  const where = local === undefined ? ['--remote'] : ['--local', '--persist-to', local]
  return d1(['--env', env, ...where], `the database of ${env}`)
}
