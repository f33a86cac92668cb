import { expect, it } from 'vitest'
import { type Change, contributors, create, edit, populated, remove, update } from './changes.ts'
import type { Around } from './d1/d1.ts'
import { lost } from './hanging.ts'

const validityMs = 200

it('No batch changes anything once its request is answered, however late it arrives', async () => {
  const written = { late: 0, afterAnswer: 0, twice: 0 }
  const open = new Map<string, { applied: number; isAnswered: boolean }>()
  const waiting: Promise<void>[] = []
  const sleep = (milliseconds: number) =>
    new Promise((resolve) => setTimeout(resolve, Math.random() * milliseconds))
  const unreliable: Around = async (texts, run) => {
    const request = [...open.values()].at(-1)
    const isBatch = texts.some((text) => /^(insert|update|delete)/i.test(text))
    const apply = async () => {
      await run()
      if (isBatch && request) {
        request.applied += 1
        written.twice += request.applied > 1 ? 1 : 0
        written.afterAnswer += request.isAnswered ? 1 : 0
      }
    }
    const chance = isBatch ? Math.random() : 1
    if (chance > 0.5) {
      return apply()
    }
    if (chance < 0.35) {
      written.late += 1
      waiting.push(
        sleep(4 * validityMs)
          .then(apply)
          .catch(() => {}),
      )
    } else if (chance < 0.42) {
      await apply()
    }
    throw new Error(lost)
  }
  const { d1, store } = await populated(unreliable, { validityMs })
  const write = async (nth: number) => {
    const changes = [
      update('a', { title: `T${nth}` }),
      contributors('add', 'a', ['p02']),
      contributors('remove', 'a', ['p02']),
      create(`c${nth}`, { handle: `c${nth}` }),
      remove(`c${nth - 1}`),
    ]
    const request = { applied: 0, isAnswered: false }
    open.set(String(nth), request)
    await store.write([edit(changes[nth % changes.length] as Change)]).catch(() => {})
    request.isAnswered = true
    open.delete(String(nth))
  }
  for (let nth = 0; nth < 200; nth++) {
    await write(nth)
  }
  await Promise.all(waiting)
  expect(written).toEqual({ late: expect.any(Number), afterAnswer: 0, twice: 0 })
  expect(written.late).toBeGreaterThan(30)
  const [[counted, articles] = []] = await d1
    .prepare('SELECT value, (SELECT count(*) FROM articles) FROM counters')
    .raw()
  expect(counted).toBe(articles)
}, 120_000)
