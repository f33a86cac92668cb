import { unstable_readConfig } from 'wrangler'
import { complaint } from '../../lib/complaint.ts'
import { wrangler } from '../../lib/wrangler.ts'
import type { D1 } from '../../operate/database.ts'
import { reached } from '../address.ts'
import { migrate } from '../migrate.ts'
import { ownDatabase } from '../own-database.ts'
import type { Checksums } from './checksum.ts'
import { copy } from './copy.ts'
import { d1At, d1Of, postgresAt } from './databases.ts'
import { deploymentOf, quiet, serviceAt, type Users } from './quiet.ts'

/** What is moved, and how. */
export interface Moving {
  readonly to: 'postgres' | 'd1'
  /** Is what the target holds now to be lost? */
  readonly empties: boolean
  /** The D1. */
  readonly database: D1
  /** Where the source answers on this machine; undefined where nobody serves it. */
  readonly service: string | undefined
  /** The address of PostgreSQL; undefined for the one of `npm start -- --database postgres`. */
  readonly url: string | undefined
  /** The file that tells of the source's Worker. */
  readonly config: string
  readonly env: string | undefined
}

/**
 * Moves all data: waits until nobody writes, brings the tables of the target up to date, copies and compares, and says what comes next.
 *
 * @throws a complaint for whatever is in the way; none tells a password
 */
export async function move(moving: Moving): Promise<void> {
  const { url: given, database } = moving
  const users = usersOf(moving)
  if (users) {
    await quiet(users, console.log)
  }
  const own = given === undefined ? await ownDatabase() : undefined
  const url = given ?? own?.url ?? ''
  const start = performance.now()
  try {
    const sums = await transfer(moving, url, users).catch(inOneLine)
    const seconds = (performance.now() - start) / 1_000
    console.log(farewell(moving, sums, seconds, own !== undefined))
  } finally {
    await own?.stop()
  }

  /** The Workers on the source, unless nobody serves it. */
  function usersOf({ to, service, config }: Moving): Users | undefined {
    if (!database.isLocal) {
      const where = database.where.filter((argument) => argument !== '--remote')
      return deploymentOf(
        wrangler,
        ['--config', config, ...where],
        to === 'postgres' ? 'd1' : 'postgres',
      )
    }
    if (service === undefined) {
      return undefined
    }
    const { vars } = unstable_readConfig({ config, env: '' }, { hideWarnings: true })
    const texts = Object.entries(vars).map(([name, value]) => [name, String(value)])
    return serviceAt(service, Object.fromEntries(texts))
  }
}

/** Copies the rows, once the tables are there, and sees in the end that nobody could write to the source meanwhile. */
async function transfer(
  { to, empties, database }: Moving,
  url: string,
  users: Users | undefined,
): Promise<Checksums> {
  const client = await reached(url)
  try {
    if (to === 'postgres') {
      await migrate(url)
    } else if (database.isLocal) {
      await wrangler('d1', 'migrations', 'apply', 'DB', ...database.where)
    }
    const d1 = d1Of(database)
    const postgres = postgresAt(client)
    const [source, target] = to === 'postgres' ? [d1At(d1), postgres] : [postgres, d1At(d1)]
    const sums = await copy(source, target, {
      empties,
      print: console.log,
      last: async () => users?.demandReadOnly(),
    })
    if (database.isLocal) {
      // The next start of the service would load the demo people again.
      await target.ask(['CREATE TABLE IF NOT EXISTS demo_data (loaded_at text)'])
    }
    return sums
  } finally {
    await client.end()
  }
}

/** A failure in one line: an error of PostgreSQL itself would show what is in a row. */
function inOneLine(error: Error): never {
  throw error.name === 'Complaint' ? error : complaint(`PostgreSQL: ${error.message}`)
}

/** What was done, what comes next, and how to go back. */
export function farewell(
  { to, database: { isLocal }, env, service }: Pick<Moving, 'to' | 'database' | 'env' | 'service'>,
  sums: Checksums,
  seconds: number,
  isOwn: boolean,
): string {
  const rows = [...sums.values()].reduce((sum, table) => sum + table.rows, 0)
  const [source, target, back] =
    to === 'postgres' ? ['D1', 'PostgreSQL', 'd1'] : ['PostgreSQL', 'D1', 'postgres']
  const [startSource, startTarget] =
    to === 'postgres' ? ['npm start', startOf(isOwn)] : [startOf(isOwn), 'npm start']
  const deploy = `npm run deploy -- --env ${env}${to === 'postgres' ? ' --database postgres' : ''}`
  const where = isLocal ? (service ? ` --service ${service}` : '') : ` --env ${env} --remote`
  const moveBack = `npm run move -- --to ${back}${where} --empty`
  const served = [
    `To go back before that: READ_ONLY to "false" on ${source}. Nothing there has changed.`,
    `To go back afterwards: READ_ONLY to "true" on ${target}, and ${moveBack}`,
  ]
  const next = !isLocal
    ? [
        `1. With READ_ONLY still "true" in the variables on ${target}: ${deploy} --other-database. Read from it.`,
        `2. READ_ONLY to "false" there, and ${deploy}: from then on ${target} is the truth.`,
        '',
        ...served,
      ]
    : service
      ? [
          `1. End the service on ${source}, and start that on ${target}: ${startTarget}`,
          '2. READ_ONLY to "false" in its variables, if it is not: from then on it takes writes.',
          '',
          ...served,
        ]
      : [
          `Start the service on ${target}: ${startTarget}`,
          '',
          `To go back before that: ${startSource}. Nothing there has changed.`,
          `To go back afterwards: end it, and ${moveBack}`,
        ]
  return [
    `${target} holds what ${source} does: ${rows} rows in ${sums.size} tables, ${seconds.toFixed(0)} s, ${Math.round(rows / seconds)} rows a second.`,
    '',
    'Next (docs/postgres.md, "Moving"):',
    ...next,
  ].join('\n')
}

/** How the service on PostgreSQL is started. @param isOwn is the server that of this folder? */
function startOf(isOwn: boolean): string {
  return isOwn
    ? 'npm start -- --database postgres'
    : 'npm start -- --database postgres, with the same POSTGRES_URL'
}
