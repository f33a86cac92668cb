import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compatibility } from '../../scripts/lib/compatibility.ts'
import { type Contender, createCardKeys, varsFor } from './contenders.ts'
import { head, row, short, spreadOf } from './figures.ts'
import type { Issuer } from './issuer.ts'
import { cpuOf, serveWorker } from './serve.ts'

/** Rounds before the first one that counts: workerd and its loader warm up. */
const warmUp = 2

/** A Worker that does nothing. What it takes to load is taken off all others. */
const empty = `
import { DurableObject } from 'cloudflare:workers'
export class TokenBucket extends DurableObject {}
export default { fetch: () => new Response(null, { status: 204 }) }
`

/**
 * Prints what it takes to load Workers, and to get a first answer from them that needs nothing but the code. All of them are
 * loaded in turn, each time into a new isolate of one process.
 */
export async function printStartUp(
  contenders: readonly Contender[],
  issuer: Issuer,
  folder: string,
  rounds: number,
): Promise<void> {
  const { url, pid, close } = await serveWorker({
    script: join(import.meta.dirname, 'workers', 'loader.js'),
    storage: join(folder, 'loading'),
    vars: {
      ...varsFor(issuer, createCardKeys()),
      BENCH_COMPATIBILITY: JSON.stringify(compatibility),
    },
  })
  const load = async (body: string): Promise<number> => {
    const before = await cpuOf(pid)
    const response = await fetch(url, { method: 'POST', body })
    await response.arrayBuffer()
    if (response.status >= 500) {
      throw new Error(`A bundle does not load: ${response.status}`)
    }
    return ((await cpuOf(pid)) - before) / 1000
  }
  const used = contenders.map(({ bundle }) => ({ bundle, times: [] as number[] }))
  for (let round = -warmUp; round < rounds; round++) {
    const nothing = await load(empty)
    for (const { bundle, times } of used) {
      const time = (await load(await readFile(bundle.script, 'utf8'))) - nothing
      if (round >= 0) {
        times.push(time)
      }
    }
  }
  await close()
  console.log(`CPU of loading in ms, less that of an empty Worker; medians of ${rounds} rounds.\n`)
  console.log(head('', 'Loading, ms', 'The service as a multiple of it'))
  const [service = Number.NaN, ...others] = used.map(({ times }) => spreadOf(times).median)
  for (const [index, median] of [service, ...others].entries()) {
    console.log(row(contenders[index]?.title ?? '', short(median), (service / median).toFixed(2)))
  }
}
