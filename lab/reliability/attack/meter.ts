import { type Received, type Sent, send } from '../../../test/fuzz/send.ts'
import { unique } from '../../../test/fuzz/values.ts'
import type { Cost } from './back-door.ts'
import type { Callers } from './callers.ts'
import { type Candidate, isTaken, urlOf } from './candidate.ts'
import type { Service } from './stage.ts'
import type { StandingState, World } from './world.ts'

/** What a request has cost. */
export interface Measured {
  readonly status: number
  /** Path and query. */
  readonly path: string
  /** The price that the answer states; undefined where it states none. */
  readonly tokens: number | undefined
  readonly counts: Cost
  /** Of the answer, head and body. */
  readonly bytes: number
  /** CPU of workerd, as a multiple of that of a plain first page of users. */
  readonly pages: number
}

/** Measures requests, one at a time. */
export interface Meter {
  /** What the request costs; undefined where the runtime or the limiter has kept it from being answered. */
  readonly measure: (candidate: Candidate) => Promise<Measured | undefined>
  /** Microseconds of CPU of one plain first page of users, the mean of some. */
  readonly plainPage: (count: number) => Promise<number>
}

/** The plain first page of users, beside which CPU is measured. */
export const pageRequest = { method: 'GET', path: '/jsonapi/users' } as const

/**
 * Microseconds of CPU of one plain first page of users, the mean of some, all asked for by one caller.
 *
 * @throws Error where one is not answered: what is measured beside it would seem dear or cheap
 */
export async function plainPages(
  { origin, cpu }: Pick<Service, 'origin' | 'cpu'>,
  authorization: string,
  count: number,
): Promise<number> {
  const headers = [
    ['Authorization', authorization],
    ['Accept', 'application/vnd.api+json'],
  ] as const
  const before = await cpu()
  for (let left = count; left > 0; left--) {
    const { status } = await send(origin, { ...pageRequest, headers })
    if (status !== 200) {
      throw new Error(`A plain page is answered with ${status}`)
    }
  }
  return ((await cpu()) - before) / count
}

/** Pages that warm the runtime up before any is measured. */
export const warmUp = 300

/** The price that an answer states. */
function tokensOf({ headers }: Received): number | undefined {
  const stated = headers['x-ratelimit-requested-tokens']
  return stated === undefined ? undefined : Number(stated)
}

/**
 * Makes a meter, and warms the service up.
 *
 * @throws Error where changes that are undone are not counted: a search would find none
 */
export async function createMeter(
  service: Service,
  world: World,
  callers: Callers,
): Promise<Meter> {
  let state: StandingState | 'written' = 'written'
  let count = 0

  const sentOf = (candidate: Candidate): Sent => {
    const { caller, method, headers, body } = candidate
    count += 1
    const fill = (text: string): string => text.replaceAll(unique, `u${count}`)
    return {
      method,
      path: fill(urlOf(candidate)),
      headers: [
        ...(callers[caller] ?? []).map((value) => ['Authorization', value] as const),
        ...headers.map(([name, value]) => [name, fill(value)] as const),
      ],
      ...(body !== undefined && { body: fill(body) }),
    }
  }

  /** Turns the pages that do not count; undefined where there are not as many. */
  async function turned(sent: Sent, turns: number): Promise<Sent | undefined> {
    let current = sent
    for (let left = turns; left > 0; left--) {
      const { status, text } = await send(service.origin, current)
      const next = status === 200 && text !== '' ? JSON.parse(text).links?.next : undefined
      if (typeof next !== 'string') {
        return undefined
      }
      current = { ...current, path: next }
    }
    return current
  }

  async function answerTo(sent: Sent): Promise<Received | undefined> {
    return send(service.origin, sent, { alone: sent.body !== undefined }).catch(() => undefined)
  }

  const pages = (count: number): Promise<number> =>
    plainPages(service, callers.reader?.[0] ?? '', count)

  await mustSeeUndone(service)
  await pages(warmUp)
  let page = await pages(100)
  return {
    async plainPage(count) {
      page = await pages(count)
      return page
    },
    async measure(candidate) {
      if (!isTaken(candidate)) {
        return undefined
      }
      const writes = !['GET', 'HEAD', 'OPTIONS'].includes(candidate.method)
      if (writes && state !== candidate.state) {
        await world.reset(candidate.state)
        state = candidate.state
      }
      const sent = await turned(sentOf(candidate), candidate.turns).catch(() => undefined)
      if (!sent) {
        return undefined
      }
      await service.counts()
      const cpuBefore = await service.cpu()
      const answer = await answerTo(sent)
      const cpu = (await service.cpu()) - cpuBefore
      const counts = await service.counts()
      if (counts.rowsWritten > 0) {
        state = 'written'
      }
      // Without the name that every answer has, it is the runtime that has answered.
      if (!answer || answer.headers['x-request-id'] === undefined || answer.status === 429) {
        return undefined
      }
      return {
        status: answer.status,
        path: sent.path,
        tokens: tokensOf(answer),
        counts,
        bytes: answer.bytes,
        pages: cpu / page,
      }
    },
  }
}

async function mustSeeUndone({ database, counts }: Service): Promise<void> {
  await counts()
  const failing = ["UPDATE counters SET value = 0 WHERE name = 'users'", "SELECT json('no JSON')"]
  await database.batch(failing.map((sql) => database.prepare(sql))).catch(() => undefined)
  const { undone } = await counts()
  if (undone !== 1) {
    throw new Error(`One row was changed and undone, and ${undone} are counted`)
  }
}
