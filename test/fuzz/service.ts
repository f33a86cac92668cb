import { join } from 'node:path'
import { cardsUnder } from '../../scripts/lib/cards.ts'
import { paths } from '../../scripts/lib/config.ts'
import { newRing } from '../../scripts/lib/secrets.ts'
import { varsFor } from '../bench/contenders.ts'
import { loadDatabase } from '../bench/database.ts'
import { startIssuer } from '../bench/issuer.ts'
import { scratchFolder } from '../bench/scratch.ts'
import { buildWorker, serveWorker } from '../bench/serve.ts'
import { useMemoryDisk } from '../support/memory-disk.ts'

/**
 * Builds and serves the Worker as the benchmark does: on workerd alone, since wrangler's proxy loses requests now and then. Its limit
 * refuses nothing.
 *
 * @param people how many there are in the database
 */
export async function startService(people: number) {
  useMemoryDisk()
  const folder = scratchFolder()
  const issuer = await startIssuer()
  const cardKeys = newRing('k1')
  const { script } = await buildWorker(join(folder, 'build'))
  const worker = await serveWorker({
    script,
    storage: join(folder, 'storage'),
    assets: join(paths.root, 'public'),
    vars: varsFor(issuer, cardKeys),
  })
  await loadDatabase(await worker.database(), people, cardsUnder(cardKeys).seal)
  return {
    origin: worker.url.origin,
    sign: issuer.sign,
    async close() {
      await worker.close()
      issuer.close()
    },
  }
}
