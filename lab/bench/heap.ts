/** The heap of a Worker's isolate, as V8's inspector tells it. */
export interface Heap {
  /** Bytes of JavaScript memory in use, garbage included. */
  readonly used: () => Promise<number>
  readonly collectGarbage: () => Promise<void>
  readonly close: () => void
}

/**
 * Looks at the heap of a Worker that was started with an inspector.
 *
 * @param port that of the inspector
 * @throws Error where workerd shows no isolate of the Worker
 */
export async function heapOf(port: number): Promise<Heap> {
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
    async collectGarbage() {
      await call('HeapProfiler.collectGarbage')
    },
    close: () => socket.close(),
  }
}
