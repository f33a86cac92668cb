import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestHarness } from 'wrangler'
import { slope } from '../lib/figures.ts'
import { residentMemory, runtimePids } from '../lib/process.ts'
import { send } from '../lib/send.ts'

/** Requests that the control answers, and how many at once. */
const load = { requests: 10_000, atOnce: 20 }

/**
 * What the local runtime itself grows by: the memory of a Worker that answers "ok", in the same harness.
 *
 * @returns KiB a request
 */
export async function controlGrowth(): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'control-'))
  const main = join(root, 'control.mjs')
  await writeFile(main, "export default { fetch: () => new Response('ok') }")
  const config = { name: 'control', main, compatibility_date: '2026-11-17' }
  const harness = createTestHarness({ root, workers: [{ config }] })
  const { url } = await harness.listen()
  const pids = runtimePids()
  const points: [number, number][] = []
  let sent = 0
  await Promise.all(
    Array.from({ length: load.atOnce }, async () => {
      while (sent < load.requests) {
        sent += 1
        if (sent % 100 === 0) {
          points.push([sent, residentMemory(pids) * 1024])
        }
        await send(url.origin, { method: 'GET', path: '/', headers: [] })
      }
    }),
  )
  await harness.close()
  await rm(root, { recursive: true })
  return slope(points.slice(points.length / 5))
}
