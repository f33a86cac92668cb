import { expect, vi } from 'vitest'
import { readGrant } from '../../../src/rate-limit/bucket.ts'

/** The part of the class that a Worker can reach, and how the platform starts it. */
type TokenBucketClass = new (
  ctx: {
    storage: { kv: Storage; setAlarm(time: number): Promise<void>; deleteAll(): Promise<void> }
    blockConcurrencyWhile(callback: () => Promise<void>): Promise<void>
  },
  env: object,
) => { take(cost: number): string; alarm(): Promise<void> }

// A name that vitest follows but the compiler does not: the platform's types do not mix with Node's.
const { TokenBucket }: { TokenBucket: TokenBucketClass } = await import(
  '../../../src/rate-limit/object.ts' as string
)

interface Storage {
  get(key: string): unknown
  put(key: string, value: unknown): void
}

/** One object's storage with its alarm, and instances of the object on it. */
export function createStorage() {
  const values = new Map<string, unknown>()
  let alarmMs: number | undefined
  const storage = {
    get: vi.fn((key: string) => structuredClone(values.get(key))),
    put: vi.fn((key: string, value: unknown): void => {
      values.set(key, structuredClone(value))
    }),
  }
  const setAlarm = vi.fn(async (time: number) => {
    alarmMs = time
  })
  let isBlocked = false
  const deleteAll = vi.fn(async () => {
    // Elsewhere a ceiling that is stored meanwhile could go with the rest.
    expect(isBlocked).toBe(true)
    values.clear()
    alarmMs = undefined
  })
  const ctx = {
    storage: { kv: storage, setAlarm, deleteAll },
    async blockConcurrencyWhile(callback: () => Promise<void>) {
      isBlocked = true
      await callback()
      isBlocked = false
    },
  }
  const begin = (env = {}) => new TokenBucket(ctx, env)
  const start = (env = {}) => {
    const bucket = begin(env)
    return { take: (cost: number) => readGrant(bucket.take(cost)), alarm: () => bucket.alarm() }
  }
  return {
    ...storage,
    setAlarm,
    deleteAll,
    values,
    begin,
    start,
    /** When the alarm comes, in milliseconds since the epoch. */
    alarmMs: () => alarmMs,
    /** Lets the platform call an alarm: it is no longer set. */
    async ring(bucket: { alarm(): Promise<void> }) {
      alarmMs = undefined
      await bucket.alarm()
    },
  }
}
