import type { Contender } from './contenders.ts'
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

/** The heap of a Worker's isolate, as V8's inspector tells it. */
interface Heap {
  /** Bytes of JavaScript memory in use, garbage included. */
  readonly used: () => Promise<number>
  readonly close: () => void
}

/**
 * Looks at the heap of a Worker that was started with an inspector.
 *
 * @param port that of the inspector
 * @throws Error where workerd shows no isolate of the Worker
 */
async function heapOf(port: number): Promise<Heap> {
  const targets: { id: string; webSocketDebuggerUrl: string }[] = await (
    await fetch(`http://127.0.0.1:${port}/json`)
  ).json()
  const target = targets.find(({ id }) => id === 'core:user:worker')
  if (!target) {
    throw new Error('workerd shows no isolate of the Worker')
  }
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const waiting = new Map<number, (result: { usedSize?: number }) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data))
    waiting.get(id)?.(result ?? {})
    waiting.delete(id)
  })
  let last = 0
  const call = (method: string): Promise<{ usedSize?: number }> =>
    new Promise((resolve) => {
      const id = ++last
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method }))
    })
  return {
    used: async () => (await call('Runtime.getHeapUsage')).usedSize ?? 0,
    close: () => socket.close(),
  }
}
