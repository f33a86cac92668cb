import type { Contender } from './contenders.ts'
import { head, row } from './figures.ts'
import { allScopes, type Issuer } from './issuer.ts'
import { ask, asker, kinds, type Sendable } from './requests.ts'

/** Milliseconds of a way there and back: so long that all else is short beside it, and below the deadlines of the limiter. */
const way = 200

/** A number of waits is the least of so many answers. */
const times = 3

/** A request of which the waits are counted. */
interface Asked extends Sendable {
  readonly name: string
  readonly title: string
  /** The ways one after the other that no design can do without, once all is warm; on a cold isolate there is one more. */
  readonly waits: number
}

/** A read of the user who asks, which the service alone answers. */
const read = (name: string, title: string, rest: string, waits: number): Asked => {
  return { name, title, method: 'GET', path: `/users/${asker.id}${rest}`, status: 200, waits }
}

const all: readonly Asked[] = [
  ...kinds.map((kind) => ({ ...kind, waits: kind.method === 'GET' ? 1 : 2 })),
  read('g', 'Linkage of relatives', '/relationships/relatives', 1),
  read('h', 'Include of two levels', '?include=relatives.placeOfBirth', 1),
  read('i', 'Include of two levels of users', '?include=relatives.relatives', 2),
  read('j', 'Include of three levels of users', '?include=relatives.relatives.relatives', 3),
]

/**
 * Prints what a caller waits for: how many of the ways from the isolate to the database, to the objects of the limiter and to the
 * issuer stand one after the other.
 */
export async function printWaits(
  contenders: readonly Contender[],
  issuer: Issuer,
  only: string,
): Promise<void> {
  const token = await issuer.sign({ sub: asker.owner, scope: allScopes })
  const titles = contenders.map(({ title }) => title)
  console.log(head('', 'Goal', ...titles, 'Goal, cold', ...titles.map((name) => `${name}, cold`)))
  const [, floor] = contenders
  for (const asked of all.filter(({ name }) => only.includes(name))) {
    const cells = { warm: [] as string[], cold: [] as string[] }
    for (const contender of contenders) {
      const isAnswered = contender !== floor || kinds.some(({ name }) => name === asked.name)
      const { warm, cold } = isAnswered ? await waitsOf(contender, asked, token) : {}
      cells.warm.push(warm?.toFixed(2) ?? '')
      cells.cold.push(cold?.toFixed(2) ?? '')
    }
    const { title, waits } = asked
    console.log(row(title, String(waits), ...cells.warm, String(waits + 1), ...cells.cold))
  }
}

/** How many ways stand one after the other for the first request of an isolate, and once everything is warm. */
async function waitsOf(
  contender: Contender,
  asked: Asked,
  token: string,
): Promise<{ readonly warm: number; readonly cold: number }> {
  const waited = { warm: [] as number[], cold: [] as number[] }
  for (let left = times; left > 0; left--) {
    const worker = await contender.start(way)
    for (const state of ['cold', 'again', 'warm'] as const) {
      const start = performance.now()
      await ask(worker.url, asked, token)
      if (state !== 'again') {
        waited[state].push((performance.now() - start) / way)
      }
    }
    await worker.close()
  }
  return { warm: Math.min(...waited.warm), cold: Math.min(...waited.cold) }
}
