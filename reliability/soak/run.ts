import { parseArgs } from 'node:util'
import { quantile, slope } from '../lib/figures.ts'
import { residentMemory, runtimePids } from '../lib/process.ts'
import { cardKeys, startService } from '../lib/service.ts'
import { createCaller, type Outcome } from './caller.ts'
import { controlGrowth } from './control.ts'
import { checkInvariants } from './invariants.ts'

/**
 * `npm run soak -- --minutes N --callers N --rate N`: mixed reads and writes at a steady rate of requests a second,
 * and a check of the whole database after it.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    callers: { type: 'string', default: '50' },
    rate: { type: 'string', default: '50' },
  },
})
const seconds = Number(values.minutes) * 60
const count = Number(values.callers)
/** Milliseconds between two requests of a caller. */
const interval = (1000 * count) / Number(values.rate)

const service = await startService()
const callers = await Promise.all(
  Array.from({ length: count }, (_, number) =>
    createCaller(service.origin, service.sign, number, seconds + 600),
  ),
)
const pids = runtimePids()
const memory: (readonly [minutes: number, mebibytes: number])[] = []
const growth: (readonly [requests: number, kibibytes: number])[] = []
const outcomes: Outcome[] = []
const start = performance.now()
const watch = setInterval(() => {
  const size = residentMemory(pids)
  memory.push([(performance.now() - start) / 60_000, size])
  growth.push([outcomes.length, size * 1024])
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
const { DB } = (await service.worker.getEnv()) as { DB: D1Database }
const checked = await checkInvariants(DB, cardKeys)
await service.close()
const control = await controlGrowth()

// The first fifth is left out: until then caches fill and code is compiled.
const settled = memory.slice(Math.floor(memory.length / 5))
for (const fault of [...new Set(faults)].slice(0, 20)) {
  console.error(fault)
}
console.log({
  minutes: Number(took.toFixed(2)),
  requests: outcomes.length,
  'requests a second': Number((outcomes.length / took / 60).toFixed(1)),
  errors: faults.length,
  'p50 ms': rounded(quantile(times, 0.5)),
  'p99 ms': rounded(quantile(times, 0.99)),
  'p999 ms': rounded(quantile(times, 0.999)),
  'memory MiB, settled': rounded(settled[0]?.[1] ?? Number.NaN),
  'memory MiB, at the end': rounded(settled.at(-1)?.[1] ?? Number.NaN),
  'slope of memory, MiB a minute': rounded(slope(settled)),
  'memory KiB a request': rounded(slope(growth.slice(Math.floor(growth.length / 5)))),
  'memory KiB a request, of a Worker that answers "ok"': rounded(control),
  database: checked,
})
process.exitCode = faults.length === 0 && checked.faults.length === 0 ? 0 : 1

function rounded(value: number): number {
  return Number(value.toFixed(2))
}
