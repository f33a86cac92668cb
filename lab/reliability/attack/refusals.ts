import { randomUUID } from 'node:crypto'
import { spreadOf } from '../../../test/bench/figures.ts'
import { allScopes, type Sign } from '../../../test/bench/issuer.ts'
import { type Sent, send } from '../../../test/fuzz/send.ts'
import { unique } from '../../../test/fuzz/values.ts'
import { bounds } from './bounds.ts'
import type { Callers } from './callers.ts'
import { type Candidate, isTaken, type Subject, urlOf } from './candidate.ts'
import { climbOf } from './climb.ts'
import { pageRequest, plainPages, warmUp } from './meter.ts'
import { randomOf, seedOf } from './random.ts'
import type { SearchOptions } from './search.ts'
import type { Service } from './stage.ts'

/** A refusal that was remembered, and what it has cost. */
export interface Remembered {
  readonly subject: Subject
  readonly candidate: Candidate
  readonly roundTrips: number
  /** CPU as a multiple of that of a plain first page of users; undefined where CPU is not measured. */
  readonly pages: number | undefined
}

/** What refusals are sent to. */
interface Refusing {
  /** Limits its callers as {@link refusingLimits} say. */
  readonly service: Service
  readonly callers: Callers
  readonly sign: Sign
}

/** A bucket that stays empty for a third of a second, so that refusals are remembered, and holds the plain pages of a round. */
export const refusingLimits = { burst: 30, rate: 3 }

/** The most costly refusal of a subject so far. `cpu`: microseconds of one request, measured once or twice. */
interface Found {
  readonly candidate: Candidate
  readonly roundTrips: number
  readonly cpu: number
}

/**
 * Searches for the request that costs most CPU though its caller is known to be refused; of each subject the worst, and
 * any that asks D1 before all others. What is found is measured again: many in turn with plain pages that the same isolate answers.
 */
export async function searchRefusals(
  refusing: Refusing,
  subjects: readonly Subject[],
  { seed, seconds, withCpu }: SearchOptions,
): Promise<readonly Remembered[]> {
  const { service, callers } = refusing
  const end = performance.now() + seconds * 1000
  const climbs = subjects.map((subject) => {
    const own = seedOf(seed, `refusals of ${subject.name}`)
    return { subject, climb: climbOf(subject.any, subject.corners[0], own, randomOf(own)) }
  })
  const worst = new Map<Subject, Found>()
  do {
    for (const { subject, climb } of climbs) {
      const candidate = climb.next()
      const found = isTaken(candidate) ? await refused(service, callers, candidate, 3) : undefined
      if (found) {
        climb.learn(candidate, found.cpu)
        const known = worst.get(subject)
        if (!known || weight(found) > weight(known)) {
          worst.set(subject, { ...found, candidate })
        }
      }
    }
  } while (performance.now() < end)
  const found = [...worst].map(([subject, { candidate, roundTrips }]) => ({
    subject,
    candidate,
    roundTrips,
  }))
  const pages = withCpu ? await pagesOf(refusing, found) : []
  return found.map((one, nth) => ({ ...one, pages: pages[nth] }))
}

const weight = ({ roundTrips, cpu }: Pick<Found, 'roundTrips' | 'cpu'>): number =>
  roundTrips * 1e9 + cpu

/**
 * Rounds of the last measurement, and requests of one. The worst of many figures is told, so that each must be exact: the median of
 * nine rounds in a row differed by a third from one minute to the next, since the machine did.
 */
const rounds = 25
const each = 20

/**
 * CPU of remembered refusals as multiples of that of a plain page: of each the median of rounds of both. A round has all of them, so that
 * the rounds of each are spread over the whole measurement.
 */
async function pagesOf(
  refusing: Refusing,
  found: readonly Pick<Found, 'candidate'>[],
): Promise<number[]> {
  const { service, callers } = refusing
  for (let left = warmUp; left > 0; left -= each) {
    await page(refusing)
  }
  const all: number[][] = found.map(() => [])
  for (let left = rounds; left > 0; left--) {
    for (const [nth, { candidate }] of found.entries()) {
      const plain = await page(refusing)
      const round = await refused(service, callers, candidate, each)
      if (round) {
        all[nth]?.push(round.cpu / plain)
      }
    }
  }
  return all.map((some) => spreadOf(some).median)
}

/**
 * Microseconds of CPU of one plain page, the mean of {@link each}. A new caller asks, as the bucket of the last one is not full; its
 * first page is not measured, as its token is verified for it and its bucket made.
 */
async function page({ service, sign }: Pick<Refusing, 'service' | 'sign'>): Promise<number> {
  const authorization = `Bearer ${await sign({ sub: randomUUID(), scope: allScopes })}`
  await plainPages(service, authorization, 1)
  return plainPages(service, authorization, each)
}

/**
 * What refusals of the request cost, sent one after the other; undefined where one of them was not remembered. Plain pages empty the
 * bucket first: where it held the least price of a write, the body would be counted before it is refused.
 */
async function refused(
  { origin, cpu, counts }: Service,
  callers: Callers,
  candidate: Candidate,
  count: number,
): Promise<Pick<Found, 'roundTrips' | 'cpu'> | undefined> {
  const { method, headers, body } = candidate
  const authorization = ['Authorization', callers.writer?.[0] ?? ''] as const
  const sent: Sent = {
    method,
    path: urlOf(candidate),
    headers: [authorization, ...headers.map(([name, value]) => [name, filled(value)] as const)],
    ...(body !== undefined && { body: filled(body) }),
  }
  const statusOf = async (request: Sent): Promise<number> =>
    (await send(origin, request).catch(() => ({ status: 0 }))).status
  const emptying: Sent = { ...pageRequest, headers: [authorization] }
  for (
    let left = refusingLimits.burst * 2;
    left > 0 && (await statusOf(emptying)) !== 429;
    left--
  ) {}
  await statusOf(sent)
  await counts()
  const statuses: number[] = []
  const before = await cpu()
  while (statuses.length < count) {
    statuses.push(await statusOf(sent))
  }
  const cost = ((await cpu()) - before) / count
  const { objectCalls, roundTrips } = await counts()
  // The object was not asked: it is the isolate that has remembered.
  const isRemembered = objectCalls === 0 && statuses.every((status) => status === 429)
  return isRemembered ? { cpu: cost, roundTrips } : undefined
}

const filled = (text: string): string => text.replaceAll(unique, 'u')

/** What is wrong with a remembered refusal, in words. CPU that could not be measured is no number, and within no bound. */
export function brokenRefusal({ roundTrips, pages = 0 }: Remembered): string[] {
  return [
    ...(roundTrips > 0 ? [`calls D1 ${roundTrips} times`] : []),
    ...(pages <= bounds.rememberedCpu
      ? []
      : [
          `takes ${pages.toFixed(2)} plain pages of CPU, at most ${bounds.rememberedCpu} are allowed`,
        ]),
  ]
}
