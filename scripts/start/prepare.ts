import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseEnv } from 'node:util'
import { type Environment, paths, secretsOf } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { cardKeys } from './keys.ts'

/**
 * Prepares what `wrangler dev` needs on this machine: the key ring of card numbers, the tables, the demo data. It takes
 * seconds, and none where nothing has changed since the last time. Where a variable is wrong, the database is left alone.
 *
 * @param environment of wrangler.toml; its top level if undefined
 * @param say prints in a sentence what takes long, before it does
 * @returns what is wrong with its variables, in one line; empty where nothing is
 */
export async function prepare(
  environment: Environment | undefined,
  say: (what: string) => void,
): Promise<string> {
  const file = secretsOf(environment)
  const ring = await cardKeys(file)
  const texts = await Promise.all(
    [file, paths.wranglerConfig].map((path) => readFile(path, 'utf8')),
  )
  const state = JSON.stringify([...texts, await readdir(paths.migrations)])
  const digest = createHash('sha256').update(state).digest('hex')
  const mark = join(paths.prepared, `${environment ?? 'local'}.json`)
  const before = await readFile(mark, 'utf8').then(JSON.parse, () => undefined)
  if (before?.digest === digest) {
    return before.fault
  }
  const fault = await wrongIn(paths.wranglerConfig, environment)
  if (fault === '') {
    say('Bringing the database up to date; the first time takes some seconds')
    await wrangler('d1', 'migrations', 'apply', 'DB', '--local', '--env', environment ?? '')
    // Loaded only now: most builds find everything prepared.
    const { loadDemo } = await import('./demo.ts')
    const { localD1 } = await import('../operate/database.ts')
    const database = localD1(environment)
    await loadDemo(database, ring).finally(database.close)
  }
  await mkdir(paths.prepared, { recursive: true })
  await writeFile(mark, JSON.stringify({ digest, fault }))
  return fault
}

/** What is wrong with the variables of an environment in a configuration of wrangler, and with its secrets on this machine. */
export async function wrongIn(
  config: string,
  environment: Environment | undefined,
): Promise<string> {
  // Loaded only now: most builds find everything prepared.
  const { wrongVariables } = await import('../lib/variables.ts')
  const { readWranglerConfig } = await import('../lib/wrangler-config.ts')
  const file = secretsOf(environment)
  const secrets = parseEnv(await readFile(file, 'utf8'))
  const { vars } = readWranglerConfig(config, environment ?? '')
  const wrong = wrongVariables({ ...vars, ...secrets }).join('; ')
  const section = environment === undefined ? '' : ` ([env.${environment}.vars])`
  const places = `${basename(config)}${section} or ${basename(file)}`
  return wrong === '' ? '' : `Wrong variables in ${places}: ${wrong}.`
}
