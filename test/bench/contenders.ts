import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { cardsUnder } from '../../scripts/lib/cards.ts'
import { newRing } from '../../scripts/lib/secrets.ts'
import { audience } from '../support/signing-key.ts'
import { loadDatabase } from './database.ts'
import type { Issuer } from './issuer.ts'
import { people } from './requests.ts'
import { type Bundle, buildWorker, bundleOf, type ServedWorker, serveWorker } from './serve.ts'

/** A Worker that is measured, with a database of its own. */
export interface Contender {
  readonly title: string
  readonly bundle: Bundle
  /**
   * Starts it.
   *
   * @param way milliseconds that each call of the database, the limiter and the issuer takes
   * @param own variables that differ
   */
  readonly start: (way?: number, own?: Readonly<Record<string, string>>) => Promise<ServedWorker>
}

/** All of them in their order. */
export type Contenders = readonly [service: Contender, floor: Contender, ...others: Contender[]]

/** Variables of the Workers. The limit never refuses, since its work is measured and not its refusals. */
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

/**
 * Builds the Workers, and gives each a copy of one database.
 *
 * @param folder an empty folder
 * @param beside files of further bundles, which answer what the service answers
 * @returns the service, the floor, and the bundles beside them
 */
export async function prepareContenders(
  folder: string,
  issuer: Issuer,
  beside: readonly string[] = [],
): Promise<Contenders> {
  const cardKeys = newRing('k1')
  const vars = varsFor(issuer, cardKeys)
  const service = await buildWorker(join(folder, 'service'))
  const main = join(import.meta.dirname, 'floor', 'worker.ts')
  const floor = await buildWorker(join(folder, 'floor'), main)

  const seed = join(folder, 'database')
  const worker = await serveWorker({ script: floor.script, storage: seed, vars })
  await loadDatabase(await worker.database(), people, cardsUnder(cardKeys).seal)
  await worker.close()

  const contender = async (title: string, bundle: Bundle): Promise<Contender> => {
    const storage = join(folder, `database of ${title.replaceAll('/', ' ')}`)
    await cp(seed, storage, { recursive: true })
    const { script } = bundle
    const start: Contender['start'] = (way, own) =>
      serveWorker({ script, storage, vars: { ...vars, ...own }, way })
    return { title, bundle, start }
  }
  return [
    await contender('This service', service),
    await contender('The floor', floor),
    ...(await Promise.all(beside.map(async (file) => contender(file, await bundleOf(file))))),
  ]
}
