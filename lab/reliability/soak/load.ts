import { setTimeout as sleep } from 'node:timers/promises'
import { readsOfMachines } from '../../../scripts/deploy/smoke.ts'
import { look, requestAt, send } from '../../../scripts/tour/send.ts'
import { farewell, newRound, stops } from '../../../scripts/tour/stops.ts'
import { quantile } from '../../bench/figures.ts'

/** How much a service is sent. */
export interface Load {
  readonly minutes: number
  readonly callers: number
  /** Requests a second, of all callers together. */
  readonly rate: number
}

/** A service that runs, and who calls it how. */
export interface Target extends Load {
  /** Of its root path, without a slash at the end. */
  readonly url: string
  /** A token for each caller, in turn. */
  readonly tokens: readonly string[]
  /** Do they write, too? What they make they delete. */
  readonly writes: boolean
}

/** What came of it. */
export interface Report {
  readonly requests: number
  /** Requests that the limiter refused: no fault, but a sign that the rate is more than the token may spend. */
  readonly refused: number
  /** How often each thing went wrong. */
  readonly faults: Readonly<Record<string, number>>
  readonly 'p50 ms': number
  readonly 'p99 ms': number
  readonly 'p999 ms': number
}

/** Milliseconds that one request may take. */
const patience = 30_000

/**
 * Sends the tour's requests round after round at a steady rate, until the time is over. What was made is deleted. A request that was due
 * while the one before it was answered counts from when it was due; after a refusal or a fault the caller begins anew.
 */
export async function load(target: Target): Promise<Report> {
  const { minutes, callers, rate, tokens } = target
  const times: number[] = []
  const faults: Record<string, number> = {}
  let refused = 0
  const start = performance.now()
  const end = start + minutes * 60_000
  const interval = (1000 * callers) / rate

  await Promise.all(
    Array.from({ length: callers }, async (_, number) => {
      const caller = createCaller(target, tokens[number % tokens.length] ?? '')
      let due = start + (interval * number) / callers
      while (due < end && performance.now() < end) {
        await sleep(Math.max(0, due - performance.now()))
        const outcome = await caller.next()
        count(outcome, due)
        due += interval
        if (outcome !== 'well') {
          due = Math.max(due, performance.now())
        }
      }
      const left = performance.now()
      const last = await caller.leave()
      if (last !== undefined) {
        count(last, left)
      }
    }),
  )
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => Number(quantile(sorted, share).toFixed(1))
  return {
    requests: times.length,
    refused,
    faults,
    'p50 ms': at(0.5),
    'p99 ms': at(0.99),
    'p999 ms': at(0.999),
  }

  function count(outcome: Outcome, due: number): void {
    times.push(performance.now() - due)
    if (outcome === 'refused') {
      refused += 1
    } else if (outcome !== 'well') {
      faults[outcome.fault] = (faults[outcome.fault] ?? 0) + 1
    }
  }
}

/** What came of one request. */
type Outcome = 'well' | 'refused' | { readonly fault: string }

/** Somebody who goes through the tour again and again. */
function createCaller({ url, writes }: Target, token: string) {
  const round = writes ? stops : readsOfMachines()
  let place = 0
  let seen = newRound()

  async function visit(stop: (typeof stops)[number]): Promise<Outcome> {
    const { name, status } = stop
    try {
      const request = requestAt(stop, url, seen)
      const answer = await send(request, token, {}, AbortSignal.timeout(patience))
      if (answer.status === 429) {
        await sleep(1000 * Number(answer.headers.get('Retry-After') ?? 1))
        return 'refused'
      }
      if (answer.status !== status) {
        // The rest of the round would build on what is not there.
        place = 0
        return { fault: `${name} answers ${answer.status}, not ${status}` }
      }
      seen = name === farewell ? newRound() : look(seen, name, answer)
      place = (place + 1) % round.length
      return 'well'
    } catch (error) {
      place = 0
      return { fault: `${name} is not answered: ${(error as Error).message}` }
    }
  }

  /** Deletes what a round that broke off has made. */
  async function leave(): Promise<Outcome | undefined> {
    const last = stops.find(({ name }) => name === farewell)
    if (seen.made === '' || last === undefined) {
      return undefined
    }
    let outcome = await visit(last)
    for (let attempts = 0; outcome === 'refused' && attempts < 5; attempts++) {
      outcome = await visit(last)
    }
    seen = newRound()
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
