import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseEnv } from 'node:util'
import { complaint } from '../lib/complaint.ts'
import { type Environment, paths, secretsOf } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { cardKeys } from './keys.ts'

/**
 * Prepares what `wrangler dev` needs on this machine: the key ring of card numbers, the tables, the demo data. It takes
 * seconds, and none where nothing has changed since the last time.
 *
 * @param environment of wrangler.toml; its top level if undefined
 * @throws a complaint where a variable is wrong; the database is left alone then
 */
export async function prepare(environment: Environment | undefined): Promise<void> {
  const file = secretsOf(environment)
  const ring = await cardKeys(file)
  const texts = await Promise.all(
    [file, paths.wranglerConfig].map((path) => readFile(path, 'utf8')),
  )
  const state = JSON.stringify([...texts, await readdir(paths.migrations)])
  const digest = createHash('sha256').update(state).digest('hex')
  const mark = join(paths.prepared, environment ?? 'local')
  if (existsSync(mark) && (await readFile(mark, 'utf8')) === digest) {
    return
  }
  await demandVariables(paths.wranglerConfig, environment)
  console.log('Bringing the database up to date; the first time takes some seconds')
  await wrangler('d1', 'migrations', 'apply', 'DB', '--local', '--env', environment ?? '')
  // Loaded only now: most builds find everything prepared.
  const { loadDemo } = await import('./demo.ts')
  const { d1Of } = await import('../operate/database.ts')
  const database = d1Of(environment, false)
  await loadDemo(database, ring).finally(database.close)
  await mkdir(paths.prepared, { recursive: true })
  await writeFile(mark, digest)
}

/** @throws a complaint with the code WRONG_VARIABLES about those of an environment in a configuration of wrangler, and its secrets on this machine */
export async function demandVariables(
  config: string,
  environment: Environment | undefined,
): Promise<void> {
  // Loaded only now: most builds find everything prepared.
  const { wrongVariables } = await import('../lib/variables.ts')
  const { readWranglerConfig } = await import('../lib/wrangler-config.ts')
  const file = secretsOf(environment)
  const secrets = parseEnv(await readFile(file, 'utf8'))
  const { vars } = readWranglerConfig(config, environment ?? '')
  const [wrong] = wrongVariables({ ...vars, ...secrets })
  if (wrong !== undefined) {
    const section = environment === undefined ? '' : ` ([env.${environment}.vars])`
    const places = `${basename(config)}${section} or ${basename(file)}`
    const fault = complaint(`Wrong variables in ${places}: ${wrong}.`)
    throw Object.assign(fault, { code: 'WRONG_VARIABLES' })
  }
}
