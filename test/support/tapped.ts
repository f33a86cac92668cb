import { expect, vi } from 'vitest'
import type { Vars } from './server.ts'
import { clientToken, get, variant } from './service.ts'

/** The faults that a Worker meets from now on: none unless one is set. */
export interface Faults {
  /** What D1 does: hangs, loses the answer to what it has done, or refuses with a message. */
  readonly database?: string
  /** How many calls of D1 the fault meets. */
  readonly times?: number
  /** What the objects of the limiter do: throw this, hang, or be overloaded. */
  readonly limiter?: string
  /** How far the clock of the Worker is ahead. */
  readonly aheadMs?: number
}

/** What D1 was asked, and the rows that it counts itself. */
export interface Cost {
  readonly roundTrips: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

/** The Worker with other variables, behind tap.js. D1 only. */
export type TappedService = Awaited<ReturnType<typeof tappedService>>

/** Starts it when first asked for; the same name and variables give the same Worker. */
export async function tappedService(name: string, vars: Vars = {}) {
  const service = await variant({ ...vars, BEHIND_TAP: name })
  return {
    ...service,
    /** Sets the faults; what D1 has cost since this was last called. */
    async tap(faults: Faults = {}) {
      const body = JSON.stringify(faults)
      const response = await fetch(`${service.origin}/tap`, { method: 'POST', body })
      return (await response.json()) as Cost
    },
    /** Waits until the Worker has the keys of the issuer, which may take a second try on a busy machine. */
    ready: () =>
      vi.waitFor(
        async () => {
          const { status } = await get('/countries', await clientToken(), service)
          expect(status).toBe(200)
        },
        { timeout: 60_000, interval: 1_000 },
      ),
  }
}
