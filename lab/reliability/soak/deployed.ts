import { setTimeout as sleep } from 'node:timers/promises'
import { readsOfMachines } from '../../../scripts/deploy/smoke.ts'
import { look, send } from '../../../scripts/start/tour-send.ts'
import { farewell, type Seen, stops } from '../../../scripts/start/tour-stops.ts'
import { quantile } from '../lib/figures.ts'
import type { Deployed } from './target.ts'

/** What came of it. */
export interface Report {
  readonly requests: number
  /** Requests that the limiter refused: no fault, but a sign that the rate is more than the token may spend. */
  readonly refused: number
  /** How often each thing went wrong. */
  readonly faults: Readonly<Record<string, number>>
  readonly 'p50 ms': number
  readonly 'p99 ms': number
  readonly 'slowest ms': number
}

/** Milliseconds that one request may take. */
const patience = 30_000

/** Sends the tour's requests round after round at a steady rate, until the time is over. What was made is deleted. */
export async function soakDeployed(target: Deployed): Promise<Report> {
  const { minutes, callers, rate } = target
  const times: number[] = []
  const faults: Record<string, number> = {}
  let refused = 0
  const start = performance.now()
  const end = start + minutes * 60_000
  const interval = (1000 * callers) / rate

  await Promise.all(
    Array.from({ length: callers }, async (_, number) => {
      const caller = createCaller(target)
      let due = start + (interval * number) / callers
      for (
        ;
        due < end && performance.now() < end;
        due = Math.max(due + interval, performance.now())
      ) {
        await sleep(Math.max(0, due - performance.now()))
        count(await caller.next())
      }
      const last = await caller.leave()
      if (last !== undefined) {
        count(last)
      }
    }),
  )
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p99, slowest] = [0.5, 0.99, 1].map((share) => Math.round(quantile(sorted, share)))
  return {
    requests: times.length,
    refused,
    faults,
    'p50 ms': p50 ?? 0,
    'p99 ms': p99 ?? 0,
    'slowest ms': slowest ?? 0,
  }

  function count({ milliseconds, fault, wasRefused }: Outcome): void {
    times.push(milliseconds)
    refused += wasRefused ? 1 : 0
    if (fault !== undefined) {
      faults[fault] = (faults[fault] ?? 0) + 1
    }
  }
}

/** What came of one request. */
interface Outcome {
  readonly milliseconds: number
  readonly wasRefused: boolean
  readonly fault?: string
}

/** Somebody who goes through the tour again and again. */
function createCaller({ url, token, writes }: Deployed) {
  const round = writes ? stops : readsOfMachines()
  let place = 0
  let seen: Seen = { made: '', somebody: '' }

  async function visit(stop: (typeof stops)[number]): Promise<Outcome> {
    const { name, method, path, body, type, status } = stop
    const began = performance.now()
    const outcome = (fault?: string, wasRefused = false): Outcome => ({
      milliseconds: performance.now() - began,
      wasRefused,
      ...(fault !== undefined && { fault }),
    })
    try {
      const request = { method, url: url + path(seen), body: body?.(seen), type }
      const answer = await send(request, token, {}, AbortSignal.timeout(patience))
      if (answer.status === 429) {
        const told = outcome(undefined, true)
        await sleep(1000 * Number(answer.headers.get('Retry-After') ?? 1))
        return told
      }
      if (answer.status !== status) {
        // The rest of the round would build on what is not there.
        place = 0
        return outcome(`${name} answers ${answer.status}, not ${status}`)
      }
      seen = look(seen, name, answer)
      seen = name === farewell ? { ...seen, made: '' } : seen
      place = (place + 1) % round.length
      return outcome()
    } catch (error) {
      place = 0
      return outcome(`${name} is not answered: ${(error as Error).message}`)
    }
  }

  /** Deletes what a round that broke off has made. */
  async function leave(): Promise<Outcome | undefined> {
    const last = stops.find(({ name }) => name === farewell)
    if (seen.made === '' || last === undefined) {
      return undefined
    }
    let outcome = await visit(last)
    for (let attempts = 0; outcome.wasRefused && attempts < 5; attempts++) {
      outcome = await visit(last)
    }
    seen = { ...seen, made: '' }
    place = 0
    return outcome
  }

  return {
    leave,
    async next(): Promise<Outcome> {
      const stop = round[place]
      if (stop === undefined) {
        throw new Error('The tour has no stops.')
      }
      // A round begins with nothing of an earlier one left.
      return place === 0 && seen.made !== '' ? ((await leave()) ?? visit(stop)) : visit(stop)
    },
  }
}
