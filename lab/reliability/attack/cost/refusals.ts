import { send } from '../../lib/send.ts'
import { bounds } from './bounds.ts'
import type { Callers } from './callers.ts'
import type { Candidate, Subject } from './candidate.ts'
import { unique } from './candidate.ts'
import { climbOf } from './climb.ts'
import { plainGenome } from './genes.ts'
import { randomOf, seedOf } from './random.ts'
import type { Service } from './stage.ts'
import { expanded } from './text.ts'

/** What many reads of one caller, most of them refused, have cost. */
export interface Volley {
  readonly sent: number
  readonly admitted: number
  readonly refused: number
  /** Statements of D1, all of them, and beyond those that as many admitted reads take. */
  readonly statements: number
  readonly beyond: number
}

const read = '/jsonapi/users?page[limit]=100&include=citizenships,placeOfBirth,relatives'

/** Sends reads of one caller, 50 at a time, far more than its tokens buy. */
export async function volley(service: Service, callers: Callers, count: number): Promise<Volley> {
  const request = {
    method: 'GET',
    path: read,
    headers: [['Authorization', callers.reader?.[0] ?? ''] as const],
  }
  const one = async (): Promise<number> =>
    (await send(service.origin, request, { patience: 60_000 })).status
  // The first one fills what is kept in memory.
  await one()
  await service.counts()
  await one()
  const { statements: each } = await service.counts()
  const statuses: number[] = []
  let left = count
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      while (left-- > 0) {
        statuses.push(await one())
      }
    }),
  )
  const { statements } = await service.counts()
  const admitted = statuses.filter((status) => status === 200).length
  const refused = statuses.filter((status) => status === 429).length
  return { sent: count, admitted, refused, statements, beyond: statements - admitted * each }
}

/** A refusal that was remembered, and what it has cost. */
export interface Remembered {
  readonly subject: Subject
  readonly candidate: Candidate
  readonly roundTrips: number
  /** Microseconds of CPU, without what it takes an empty Worker to receive the body. */
  readonly cpu: number
}

/**
 * Searches for the request that costs most CPU though its caller is known to be refused; of each subject the worst, and
 * any that asks D1 before all others.
 */
export async function searchRefusals(
  service: Service,
  empty: Pick<Service, 'origin' | 'cpu'>,
  callers: Callers,
  subjects: readonly Subject[],
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): Promise<readonly Remembered[]> {
  const end = performance.now() + seconds * 1000
  const climbs = subjects.map((subject) => ({
    subject,
    climb: climbOf(
      subject.genes,
      plainGenome(subject.genes),
      randomOf(seedOf(seed, `refusals of ${subject.name}`)),
    ),
  }))
  const worst = new Map<Subject, Remembered>()
  do {
    for (const { subject, climb } of climbs) {
      const genome = climb.next()
      const found = await refused(service, callers, subject, subject.render(genome), samples.search)
      if (found) {
        climb.learn(genome, found.cpu)
        const known = worst.get(subject)
        if (!known || weight(found) > weight(known)) {
          worst.set(subject, found)
        }
      }
    }
  } while (performance.now() < end)
  const found: Remembered[] = []
  for (const [subject, one] of worst) {
    const again = await refused(service, callers, subject, one.candidate, samples.last)
    const received = await receiving(empty, one.candidate)
    found.push({ ...one, cpu: Math.max(0, (again?.cpu ?? one.cpu) - received) })
  }
  return found
}

const weight = ({ roundTrips, cpu }: Remembered): number => roundTrips * 1e9 + cpu

/** Refusals whose CPU is measured, while it is searched and in the end; the median counts. */
const samples = { search: 3, last: 25 }

/**
 * Microseconds of CPU that a Worker which answers at once takes for the body of a request: the bytes come in before any
 * Worker can refuse them.
 */
async function receiving(
  { origin, cpu }: Pick<Service, 'origin' | 'cpu'>,
  { method, path, body }: Candidate,
): Promise<number> {
  if (body === undefined) {
    return 0
  }
  const bare = { method, path: expanded(path), headers: [] }
  const whole = { ...bare, body: expanded(body).replaceAll(unique, 'u') }
  const cost = async (request: typeof bare): Promise<number> => {
    const all: number[] = []
    for (let left = samples.last; left > 0; left--) {
      const before = await cpu()
      await send(origin, request)
      all.push((await cpu()) - before)
    }
    all.sort((a, b) => a - b)
    return all[Math.floor(all.length / 2)] ?? 0
  }
  return Math.max(0, (await cost(whole)) - (await cost(bare)))
}

/** Measures what a remembered refusal of the request costs; undefined where there was none. */
async function refused(
  service: Service,
  callers: Callers,
  subject: Subject,
  candidate: Candidate,
  count: number,
): Promise<Remembered | undefined> {
  const { method, path, headers, body } = candidate
  const sent = {
    method,
    path: expanded(path),
    headers: [
      ['Authorization', callers.writer?.[0] ?? ''] as const,
      ...headers.map(([name, value]) => [name, expanded(value).replaceAll(unique, 'u')] as const),
    ],
    ...(body && { body: expanded(body).replaceAll(unique, 'u') }),
  }
  const one = async () => {
    await service.counts()
    const before = await service.cpu()
    const { status } = await send(service.origin, sent).catch(() => ({ status: 0 }))
    const cpu = (await service.cpu()) - before
    return { status, cpu, ...(await service.counts()) }
  }
  for (let tries = 0; tries < 12 && (await one()).status !== 429; tries++) {}
  const all = []
  for (let left = count; left > 0; left--) {
    const measured = await one()
    // The object was not asked: it is the isolate that has remembered.
    if (measured.status === 429 && measured.objectCalls === 0) {
      all.push(measured)
    }
  }
  all.sort((a, b) => a.cpu - b.cpu)
  const median = all[Math.floor(all.length / 2)]
  return (
    median && {
      subject,
      candidate: { ...candidate, caller: 'writer' },
      roundTrips: Math.max(...all.map(({ roundTrips }) => roundTrips)),
      cpu: median.cpu,
    }
  )
}

/** The most statements that refused reads may cause together: refusals must be cheap. */
export const mostBeyond = 50

/** What is wrong with a remembered refusal, in words. */
export function brokenRefusal(
  { roundTrips, cpu }: Remembered,
  page: number,
  withCpu: boolean,
): string[] {
  const pages = cpu / page
  return [
    ...(roundTrips > 0 ? [`calls D1 ${roundTrips} times`] : []),
    ...(withCpu && pages > bounds.rememberedCpu
      ? [
          `takes ${pages.toFixed(2)} plain pages of CPU, at most ${bounds.rememberedCpu} are allowed`,
        ]
      : []),
  ]
}
