import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseEnv } from 'node:util'
import { type Environment, paths, secretsOf } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { cardKeys } from './keys.ts'

/** What is known of an environment once it was prepared. */
export interface Prepared {
  /** What is wrong with its variables, in one line; empty where nothing is. */
  readonly fault: string
  /** Where the keys of the authorization server are, as far as anybody has said so. */
  readonly jwksUrl: string
}

/**
 * Prepares what `wrangler dev` needs on this machine: the key ring of card numbers, the tables, the demo data. It takes
 * seconds, and none where nothing has changed since the last time. Where a variable is wrong, the database is left alone.
 *
 * @param environment of wrangler.toml; its top level if undefined
 * @param say prints in a sentence what takes long, before it does
 */
export async function prepare(
  environment: Environment | undefined,
  say: (what: string) => void,
): Promise<Prepared> {
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
    return before
  }
  const { fault, jwksUrl } = await variablesIn(paths.wranglerConfig, environment)
  if (fault === '') {
    say('Bringing the database up to date; the first time takes some seconds')
    await wrangler('d1', 'migrations', 'apply', 'DB', '--local', '--env', environment ?? '')
    // Loaded only now: most builds find everything prepared.
    const { loadDemo } = await import('./demo.ts')
    const { localD1 } = await import('../operate/database.ts')
    const database = localD1(environment)
    await loadDemo(database, ring).finally(database.close)
  }
  const prepared: Prepared = { fault, jwksUrl }
  await mkdir(paths.prepared, { recursive: true })
  await writeFile(mark, JSON.stringify({ digest, ...prepared }))
  return prepared
}

/** What is known from the variables of an environment in a configuration of wrangler, and from its secrets on this machine. */
export async function variablesIn(
  config: string,
  environment: Environment | undefined,
): Promise<Prepared> {
  // Loaded only now: most builds find everything prepared.
  const { wrongVariables } = await import('../lib/variables.ts')
  const { readWranglerConfig } = await import('../lib/wrangler-config.ts')
  const file = secretsOf(environment)
  const secrets = parseEnv(await readFile(file, 'utf8')) as Record<string, string>
  const vars = { ...readWranglerConfig(config, environment ?? '').vars, ...secrets }
  const wrong = wrongVariables(vars).join('; ')
  const section = environment === undefined ? '' : ` ([env.${environment}.vars])`
  const places = `${basename(config)}${section} or ${basename(file)}`
  return {
    fault: wrong === '' ? '' : `Wrong variables in ${places}: ${wrong}.`,
    jwksUrl: String(vars.JWKS_URL ?? ''),
  }
}
