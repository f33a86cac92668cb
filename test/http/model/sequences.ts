import fc from 'fast-check'
import { beforeAll, describe, it } from 'vitest'
import { type BackDoor, configuredService } from '../../support/service.ts'
import { exchange, type Run } from './exchange.ts'
import { beginnings, drafts, ending } from './requests.ts'
import type { Atlas } from './state.ts'
import { newCallers, readAtlas } from './world.ts'

/** Sequences run side by side, each lane with people of its own, so that they share nothing but the service. */
const lanes = ['a', 'b', 'c', 'd'] as const

/** Requests that create two users, and then random requests by random callers. */
const sequences = fc.tuple(
  fc.commands(
    drafts.map((draft) => draft.map(exchange)),
    { maxCommands: 20, size: 'max' },
  ),
  ...beginnings.map((draft) => draft.map(exchange)),
)

/** Tests that the service answers random sequences of requests like a plain model: so many in each of four lanes. */
export function testSequences(runsOfLane: number): void {
  let service: BackDoor
  let atlas: Atlas
  beforeAll(async () => {
    service = await configuredService()
    atlas = await readAtlas(service)
  })

  describe('the service answers like a plain model', () => {
    it.concurrent.each(lanes)(
      `every request of ${runsOfLane} random sequences of reads and writes (lane %s)`,
      async (lane) => {
        const callers = await newCallers()
        let count = 0
        await fc.assert(
          fc.asyncProperty(sequences, async ([commands, ...begun]) => {
            const run: Run = { atlas, users: new Map(), ids: [], mark: `${lane}${count++}` }
            const real = { origin: service.origin, callers }
            await fc.asyncModelRun(
              () => ({ model: run, real }),
              [...begun, ...commands, exchange(ending)],
            )
          }),
          { numRuns: runsOfLane },
        )
      },
      600_000,
    )
  })
}
