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
  const targets: { id: string; webSocketDebuggerUrl: string }[] = await (
    await fetch(`http://127.0.0.1:${port}/json`)
  ).json()
  const target = targets.find(({ id }) => id === 'core:user:worker')
  if (!target) {
    throw new Error('workerd shows no isolate of the Worker')
  }
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  let peak = 0
  socket.addEventListener('message', ({ data }) => {
    const { result } = JSON.parse(String(data))
    peak = Math.max(peak, result?.usedSize ?? 0)
  })
  let id = 0
  const timer = setInterval(() => {
    socket.send(JSON.stringify({ id: ++id, method: 'Runtime.getHeapUsage' }))
  }, interval)
  await fire(server.url, shotOf(kind, token), kind.count, connections)
  clearInterval(timer)
  socket.close()
  await server.stop()
  return peak / 1e6
}
