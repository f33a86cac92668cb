import { allScopes } from '../../bench/issuer.ts'
import { quantile } from '../lib/figures.ts'
import { residentMemory, runtimePids } from '../lib/process.ts'
import { startService } from '../lib/service.ts'
import { createCaller, type Outcome, people } from './caller.ts'
import { checkInvariants } from './invariants.ts'
import type { Local } from './target.ts'
import { type MemoryPoint, verdictOf } from './verdict.ts'

/**
 * Mixed reads and writes at a steady rate of requests a second against a service of its own, and a check of the whole
 * database after it.
 *
 * @param target `minutes`: a day at most, since the callers' tokens live no longer
 * @returns whether all was well
 */
export async function soakLocally({ minutes, callers: count, rate, log }: Local): Promise<boolean> {
  const seconds = minutes * 60
  /** Milliseconds between two requests of a caller. */
  const interval = (1000 * count) / rate

  // The limit is the default.
  const service = await startService({ limit: { burst: 100, rate: 50 }, people, log })
  const callers = await Promise.all(
    Array.from({ length: count }, async (_, number) =>
      createCaller(
        service.origin,
        await service.sign({ sub: `soak-${number}`, scope: allScopes }),
        number,
      ),
    ),
  )
  const pids = runtimePids()
  const memory: MemoryPoint[] = []
  const outcomes: Outcome[] = []
  const start = performance.now()
  const watch = setInterval(() => {
    memory.push([(performance.now() - start) / 60_000, residentMemory(pids)])
  }, 1000)

  await Promise.all(
    callers.map(async (caller, number) => {
      const offset = (interval * number) / count
      for (let due = offset; due < seconds * 1000; due += interval) {
        const wait = start + due - performance.now()
        if (wait > 0) {
          await new Promise((resolve) => setTimeout(resolve, wait))
        }
        outcomes.push(await caller.next(start + due))
      }
    }),
  )
  clearInterval(watch)

  const took = (performance.now() - start) / 60_000
  const faults = outcomes.flatMap(({ fault }) => fault ?? [])
  const times = outcomes.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const checked = await checkInvariants(await service.database(), service.cardKeys)
  await service.close()

  for (const fault of [...new Set(faults)].slice(0, 20)) {
    console.error(fault)
  }
  const quarters = [1, 2, 3, 4].map(
    (quarter) => memory[Math.ceil((memory.length * quarter) / 4) - 1],
  )
  console.log({
    minutes: Number(took.toFixed(2)),
    requests: outcomes.length,
    'requests a second': Number((outcomes.length / took / 60).toFixed(1)),
    errors: faults.length,
    'p50 ms': rounded(quantile(times, 0.5)),
    'p99 ms': rounded(quantile(times, 0.99)),
    'p999 ms': rounded(quantile(times, 0.999)),
    'memory MiB, after each quarter': quarters.map((point) => rounded(point?.[1] ?? Number.NaN)),
    database: checked,
  })
  const { isWell, text } = verdictOf({
    requests: outcomes.length,
    errors: faults.length,
    database: checked.faults,
    memory,
  })
  console.log(text)
  return isWell
}

function rounded(value: number): number {
  return Number(value.toFixed(2))
}
