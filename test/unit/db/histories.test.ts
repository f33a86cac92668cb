import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Outcome } from '../../../src/jsonapi/run/port.ts'
import { judge } from '../../support/histories.ts'
import { runs } from '../runs.ts'
import { create, edit, populated, remove, update } from './changes.ts'
import { ended, lost } from './hanging.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const histories = runs(300)
let made = 0

/** A history on D1 of which a third of the round trips gets lost before, after or long before it is carried out. */
async function oneHistory() {
  const { random } = Math
  const pause = (milliseconds: number) => new Promise((end) => setTimeout(end, milliseconds))
  const { writeAll, d1, clock } = await populated(async (_, run) => {
    const chance = random()
    await pause(random() * 100)
    if (chance < 0.66) {
      return run()
    }
    if (chance < 0.77) {
      await run()
    } else if (chance < 0.88) {
      pause(random() * 4_000)
        .then(run)
        .catch(() => {})
    }
    await pause(random() * (chance > 0.98 ? 20_000 : 1_000))
    throw new Error(lost)
  })
  clock.aheadMs = [0, 0, 0, 2_000, -2_000, -6_000, -30_000][Math.floor(random() * 7)] ?? 0
  await d1.prepare("DELETE FROM articles WHERE article_no = 'b'").raw()
  const subject = {
    write: writeAll,
    read: async () =>
      Object.fromEntries(await d1.prepare('SELECT article_no, edition FROM articles').raw()),
    create: () => edit(create(`n${++made}`, { handle: `n${made}` })),
    update: (id: string, ifMatch?: string) =>
      edit(update(id, { title: 'T' }), 'ann', ifMatch === undefined ? {} : { ifMatch: [ifMatch] }),
    remove: (id: string) => edit(remove(id)),
  }
  return judge(subject)
}

it('Whatever D1 loses, and whoever writes meanwhile, what callers are told is true', async () => {
  const words = new Set<string>()
  // Without each of them the test would show less, so it goes on for a while until all have come.
  const all = ['absent', 'done', 'nothing', 'stale', 'unknown']
  for (let nth = 0; nth < histories || (words.size < all.length && nth < 10 * histories); nth++) {
    const { outcome } = await ended(oneHistory())
    if ('failed' in outcome) {
      throw outcome.failed
    }
    for (const word of outcome) {
      words.add(word)
    }
  }
  expect([...words].sort()).toEqual(all)
}, 600_000)

it.each<[Outcome]>([
  [{ kind: 'done', found: [] }],
  [{ kind: 'refused', at: 0, faults: [{ kind: 'absent' }] }],
])(
  'No order explains writes that are told $kind where the resource is there, and stays as it is',
  async (outcome) => {
    const change = () => edit(update('a', { title: 'T' }))
    const history = judge({
      write: async () => outcome,
      read: async () => ({ a: 'first' }),
      create: change,
      update: change,
      remove: () => edit(remove('a')),
    })
    await expect(history).rejects.toThrow('No order')
  },
)
