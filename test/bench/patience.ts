import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Contender } from './contenders.ts'
import { head, row, short } from './figures.ts'
import type { Issuer } from './issuer.ts'
import { type Reading, ways } from './reader.ts'

const limits = { capacity: 100, rate: 50 }
const reads = 250

/** Prints how long a machine takes for reads beyond its rate limit, in one process and in several that share its bucket. */
export async function printPatience(service: Contender, issuer: Issuer): Promise<void> {
  const worker = await service.start(undefined, {
    RATE_LIMIT_BURST_CAPACITY: String(limits.capacity),
    RATE_LIMIT_REPLENISH_RATE: String(limits.rate),
  })
  const url = new URL('/jsonapi/countries/NO', worker.url).href
  const secondsOf = async (way: keyof typeof ways, processes: number): Promise<number> => {
    // A bucket of its own, which is full.
    const token = await issuer.sign({ claims: { client_id: `${way} ${processes}` } })
    const children = Array.from({ length: processes }, () =>
      fork(join(import.meta.dirname, 'reader.ts')),
    )
    await Promise.all(children.map((child) => once(child, 'message')))
    const start = performance.now()
    for (const [nth, child] of children.entries()) {
      const count = Math.floor((reads + nth) / processes)
      child.send({ way, url, token, count } satisfies Reading)
    }
    const codes = await Promise.all(children.map((child) => once(child, 'exit')))
    if (codes.some(([code]) => code !== 0)) {
      throw new Error('A process has failed.')
    }
    return (performance.now() - start) / 1000
  }
  const allowed = (reads - limits.capacity) / limits.rate
  console.log(`Seconds for ${reads} reads of price 1. The bucket allows ${allowed}.\n`)
  console.log(head('', '1 process', '4 processes'))
  for (const way of Object.keys(ways) as (keyof typeof ways)[]) {
    const seconds = [await secondsOf(way, 1), await secondsOf(way, 4)]
    console.log(row(way, ...seconds.map(short)))
  }
  await worker.close()
}
