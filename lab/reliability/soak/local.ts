import { allScopes } from '../../bench/issuer.ts'
import { residentMemory, runtimePids } from '../lib/process.ts'
import { startService } from '../lib/service.ts'
import { checkInvariants } from './invariants.ts'
import { type Load, load } from './load.ts'
import type { MemoryPoint } from './verdict.ts'

/** People in the database beside those that callers make. */
const people = 10_000

/**
 * Puts a service of its own under load, with the default limit, and checks its whole database after it.
 *
 * @param wish `minutes`: a day at most, since the callers' tokens live no longer
 */
export async function soakLocally(wish: Load) {
  const service = await startService({ limit: { burst: 100, rate: 50 }, people })
  const tokens = await Promise.all(
    Array.from({ length: wish.callers }, (_, number) =>
      service.sign({ sub: `soak-${number}`, scope: allScopes }),
    ),
  )
  const pids = runtimePids()
  const memory: MemoryPoint[] = []
  const start = performance.now()
  const watch = setInterval(() => {
    memory.push([(performance.now() - start) / 60_000, residentMemory(pids)])
  }, 1000)
  const report = await load({ ...wish, url: `${service.origin}/jsonapi`, tokens, writes: true })
  clearInterval(watch)
  const database = await checkInvariants(await service.database(), service.cardKeys)
  await service.close()
  return { report, database, memory }
}
