import type { WorkerHandle } from 'wrangler'

/**
 * Throws a token bucket out of memory; what it stored stays.
 *
 * @param id that of the object with the name
 * @throws Error when no bucket of that name has stored anything: the test would prove nothing
 */
export async function evict(worker: WorkerHandle, name: string, id: string): Promise<void> {
  if (!(await worker.listDurableObjectIds('RATE_LIMITER')).includes(id)) {
    throw new Error(`There is no bucket named ${name}`)
  }
  await worker.evictDurableObject('RATE_LIMITER', { name })
}
