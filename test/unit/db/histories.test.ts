import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { judge } from '../../support/histories.ts'
import { runs } from '../runs.ts'
import { create, edit, populated, remove, update } from './changes.ts'
import { lost } from './hanging.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Numbers from 0 to 1 that look random, and are the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

const histories = runs(600)
let made = 0

/** A history on D1 of which a third of the round trips gets lost before, after or long before it is carried out. */
async function historyOf(seed: number) {
  const random = randomOf(seed)
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
  return judge(subject, { random })
}

it('Whatever D1 loses, and whoever writes meanwhile, what callers are told is true', async () => {
  const words = new Map<string, number>()
  for (let seed = 1; seed <= histories; seed++) {
    let told: readonly string[] | Error | undefined
    historyOf(seed).then(
      (all) => {
        told = all
      },
      (error) => {
        told = new Error(`seed ${seed}`, { cause: error })
      },
    )
    while (told === undefined) {
      await vi.advanceTimersToNextTimerAsync()
    }
    if (told instanceof Error) {
      throw told
    }
    for (const word of told) {
      words.set(word, (words.get(word) ?? 0) + 1)
    }
  }
  // Without each of them the test would show less.
  expect([...words.keys()].sort()).toEqual(['absent', 'done', 'nothing', 'stale', 'unknown'])
}, 600_000)
