import { join } from 'node:path'
import { createCipher } from '../../../src/db/cipher.ts'
import { sealContext } from '../../../src/db/rows.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { buildWorker } from '../../bench/bundle.ts'
import { createCardKeys, varsFor } from '../../bench/contenders.ts'
import { type Database, loadDatabase } from '../../bench/data/database.ts'
import { startIssuer } from '../../bench/issuer.ts'
import { scratchFolder } from '../../bench/scratch.ts'
import { serveWorker } from '../../bench/server/workerd.ts'

/** People in the database beside those that callers make. */
export const people = 10_000

/** The built Worker on workerd alone, with people in its database. */
export interface BareService {
  readonly origin: string
  /** An access token for a person, good for a day. */
  readonly token: (subject: string, scopes: string) => Promise<string>
  readonly cardKeys: string
  readonly database: () => Promise<Database>
  readonly close: () => Promise<void>
}

/**
 * Builds and serves the Worker as the benchmark does: on workerd alone. What wrangler adds to look inside a Worker keeps
 * some 45 KiB of each request, which would hide what the Worker itself keeps.
 *
 * @param log the file that gets what the Worker logs, as workerd writes it: with its time; none if undefined
 */
export async function startBareService(log?: string): Promise<BareService> {
  const folder = scratchFolder()
  const issuer = await startIssuer()
  const cardKeys = createCardKeys()
  const { script } = await buildWorker(
    join(import.meta.dirname, '..', '..', '..', 'wrangler.toml'),
    'worker.ts',
    join(folder, 'build'),
  )
  // The benchmark's never refuses; this is the default.
  const limit = { RATE_LIMIT_BURST_CAPACITY: '100', RATE_LIMIT_REPLENISH_RATE: '50' }
  const vars = { ...varsFor(issuer, cardKeys), ...limit }
  const worker = await serveWorker({
    script,
    storage: join(folder, 'storage'),
    vars,
    log,
  })
  const cipher = createCipher(parseKeyRing(cardKeys))
  await loadDatabase(await worker.database(), {
    people,
    seal: (id, card) => cipher.encrypt(card, sealContext('users', id, 'creditCardNumber')),
  })
  return {
    origin: worker.url.origin,
    token: issuer.token,
    cardKeys,
    database: worker.database,
    async close() {
      await worker.close()
      issuer.close()
    },
  }
}
