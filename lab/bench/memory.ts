import type { Contender } from './contenders.ts'
import { heapOf } from './heap.ts'
import { fire } from './load.ts'
import { connections } from './measure.ts'
import { type Kind, shotOf } from './requests.ts'

/** Milliseconds between two measurements. */
const interval = 20

/**
 * The largest heap of a Worker's isolate while it answers under load, in MB: used JavaScript memory as V8's
 * inspector tells it, garbage included. An isolate may hold 128 MB on Cloudflare.
 *
 * @param port a free one
 */
export async function peakMemory(
  contender: Contender,
  kind: Kind,
  token: string,
  port: number,
): Promise<number> {
  const server = await contender.start({ inspectorPort: port })
  const heap = await heapOf(port)
  let peak = 0
  const timer = setInterval(async () => {
    peak = Math.max(peak, await heap.used())
  }, interval)
  await fire(server.url, shotOf(kind, token), kind.count, connections)
  clearInterval(timer)
  heap.close()
  await server.stop()
  return peak / 1e6
}
