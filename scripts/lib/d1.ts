import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { complaint } from './complaint.ts'
import { type Environment, paths } from './config.ts'
import { wranglerSettings } from './wrangler.ts'
import { readWranglerConfig } from './wrangler-config.ts'

/**
 * Opens the database of an environment, by a configuration of wrangler that names it alone. The one at Cloudflare is reached by a preview
 * of a Worker that passes on what is asked.
 *
 * @param env its top level in wrangler.toml if undefined
 * @param places where the local one is kept, and the configuration that names the databases
 * @throws a complaint where it cannot be reached
 */
export async function openD1(
  env: Environment | undefined,
  remote: boolean,
  { state = join(paths.state, 'state', 'v3'), config = paths.wranglerConfig } = {},
) {
  const worker = readWranglerConfig(config, env ?? '')
  const { d1_databases, account_id, compatibility_date, name } = worker
  if (remote && !d1_databases[0]?.database_id) {
    throw complaint(`The database DB of ${env} has no database_id in wrangler.toml.`)
  }
  const own = join(paths.state, `d1.${randomUUID()}.json`)
  await mkdir(paths.state, { recursive: true })
  await writeFile(
    own,
    JSON.stringify({
      name: `${name}-operator`,
      account_id,
      compatibility_date,
      d1_databases: d1_databases.map((database: object) => ({ ...database, remote })),
    }),
  )
  Object.assign(process.env, wranglerSettings)
  // Loaded only now, for it takes a second.
  const { getPlatformProxy } = await import('wrangler')
  try {
    const { env: bindings, dispose } = await getPlatformProxy<{ DB: D1Database }>({
      configPath: own,
      persist: { path: state },
      envFiles: [],
    })
    return { binding: bindings.DB, close: dispose }
  } catch (error) {
    throw complaint(`The database cannot be reached: ${(error as Error).message}`, error)
  } finally {
    await rm(own)
  }
}
