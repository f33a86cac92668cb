import { randomBytes } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { cardsUnder } from '../../scripts/lib/cards.ts'
import { configOf } from '../../scripts/lib/config.ts'
import { type Bundle, buildWorker } from './bundle.ts'
import { type Database, loadDatabase } from './data/database.ts'
import { audience, type Issuer } from './issuer.ts'
import { hub, kinds, largeKinds } from './requests.ts'
import { type Server, startServer } from './server/process.ts'
import { serveWorker } from './server/workerd.ts'

/** How a Worker is served, beyond the usual. */
export interface StartOptions {
  readonly tapped?: boolean
  /** The file of a bundle that is served in place of its own. */
  readonly script?: string
  /** Milliseconds that each call of the database, the limiter and the issuer takes; all are in the same process if absent. */
  readonly way?: number
}

/** What is measured: the service, the floor under it, and its peers. */
export interface Contender {
  readonly name: string
  readonly title: string
  /** Its paths by the name of the request, below its root; a request that is absent is not measured. */
  readonly paths: Readonly<Record<string, string>>
  readonly bundle?: Bundle
  readonly start: (options?: StartOptions) => Promise<Server>
}

const workerModule = join(import.meta.dirname, 'server', 'worker.ts')
const paths = Object.fromEntries([...kinds, ...largeKinds].map(({ name, path }) => [name, path]))

/** Variables of the two Workers. The limit never refuses, since its work is measured and not its refusals. */
export function varsFor({ url, jwksUrl }: Issuer, cardKeys: string): Record<string, string> {
  return {
    ROOT_PATH: '/jsonapi',
    AUTH_URL: url,
    TOKEN_ISSUER: url,
    TOKEN_AUDIENCE: audience,
    JWKS_URL: jwksUrl,
    CARD_KEYS: cardKeys,
    RATE_LIMIT_BURST_CAPACITY: '1000000',
    RATE_LIMIT_REPLENISH_RATE: '500000',
    RATE_LIMIT_READ_COST: '1',
    RATE_LIMIT_WRITE_COST: '5',
    CORS_ORIGINS: '',
  }
}

/** A new ring of keys for card numbers. */
export function createCardKeys(): string {
  return JSON.stringify({ current: 'k1', keys: { k1: randomBytes(32).toString('base64url') } })
}

/** The variables of Workers, and what fills their databases with people whose cards these can read. */
function settingFor(issuer: Issuer, people: number) {
  const cardKeys = createCardKeys()
  const { seal } = cardsUnder(cardKeys)
  return {
    vars: varsFor(issuer, cardKeys),
    fill: (db: Database) => loadDatabase(db, { people, hub, seal }),
  }
}

/**
 * Builds both Workers and gives each a database of its own with the same people in it.
 *
 * @param folder an empty folder
 * @param beside the file of another bundle of the service, which gets a database of its own, too
 */
export async function prepareWorkers(
  folder: string,
  issuer: Issuer,
  people: number,
  beside?: string,
): Promise<readonly [service: Contender, floor: Contender, beside?: Contender]> {
  const { vars, fill } = settingFor(issuer, people)
  const serviceBundle = await buildWorker(configOf.d1, join(folder, 'service'))
  const floorConfig = join(import.meta.dirname, 'floor', 'wrangler.toml')
  const floorBundle = await buildWorker(floorConfig, join(folder, 'floor'))

  const seed = join(folder, 'database')
  const worker = await serveWorker({ script: floorBundle.script, storage: seed, vars })
  await fill(await worker.database())
  await worker.close()

  const contender = async (name: string, title: string, bundle: Bundle): Promise<Contender> => {
    const storage = join(folder, `database-${name}`)
    await cp(seed, storage, { recursive: true })
    return {
      name,
      title,
      paths,
      bundle,
      start: ({ way, ...options } = {}) =>
        startServer(workerModule, {
          script: bundle.script,
          storage,
          vars: way === undefined ? vars : { ...vars, BENCH_WAY: String(way) },
          slowed: way !== undefined,
          ...options,
        }),
    }
  }
  return [
    await contender('service', 'This service', serviceBundle),
    await contender('floor', 'The floor', floorBundle),
    ...(beside === undefined
      ? ([] as const)
      : ([
          await contender('beside', 'The bundle beside it', { ...serviceBundle, script: beside }),
        ] as const)),
  ]
}
