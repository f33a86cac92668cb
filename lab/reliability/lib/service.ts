import { join } from 'node:path'
import { cardsUnder } from '../../../scripts/lib/cards.ts'
import { createCardKeys, varsFor } from '../../../test/bench/contenders.ts'
import { loadDatabase } from '../../../test/bench/database.ts'
import { type Sign, startIssuer } from '../../../test/bench/issuer.ts'
import { scratchFolder } from '../../../test/bench/scratch.ts'
import { buildWorker, serveWorker } from '../../../test/bench/serve.ts'
import { useMemoryDisk } from './memory-disk.ts'

/** The built Worker on workerd alone, the issuer that it trusts, and people in its database. */
export interface Service {
  readonly origin: string
  readonly sign: Sign
  readonly close: () => Promise<void>
}

/** How a service is started. */
export interface ServiceOptions {
  /** Of the limiter: tokens, and tokens a second. */
  readonly limit: { readonly burst: number; readonly rate: number }
  /** How many there are in the database. */
  readonly people: number
}

const root = join(import.meta.dirname, '..', '..', '..')

/**
 * Builds and serves the Worker as the benchmark does: on workerd alone. What wrangler adds to look inside a Worker keeps
 * some 45 KiB of each request, which would hide what the Worker itself keeps, and its proxy loses requests now and then.
 */
export async function startService({ limit, people }: ServiceOptions): Promise<Service> {
  useMemoryDisk()
  const folder = scratchFolder()
  const issuer = await startIssuer()
  const cardKeys = createCardKeys()
  const { script } = await buildWorker(join(folder, 'build'))
  const worker = await serveWorker({
    script,
    storage: join(folder, 'storage'),
    assets: join(root, 'public'),
    vars: {
      ...varsFor(issuer, cardKeys),
      RATE_LIMIT_BURST_CAPACITY: String(limit.burst),
      RATE_LIMIT_REPLENISH_RATE: String(limit.rate),
    },
  })
  await loadDatabase(await worker.database(), { people, seal: cardsUnder(cardKeys).seal })
  return {
    origin: worker.url.origin,
    sign: issuer.sign,
    async close() {
      await worker.close()
      issuer.close()
    },
  }
}
