import type { WorkerHandle } from 'wrangler'

/**
 * Throws a token bucket out of memory; what it stored stays.
 *
 * @throws Error when no bucket of that name has stored anything: the test would prove nothing
 */
export async function evict(worker: WorkerHandle, name: string): Promise<void> {
  const { RATE_LIMITER: buckets } = await worker.getEnv()
  const id = buckets.idFromName(name).toString()
  if (!(await worker.listDurableObjectIds('RATE_LIMITER')).includes(id)) {
    throw new Error(`There is no bucket named ${name}`)
  }
  await worker.evictDurableObject('RATE_LIMITER', { name })
}
