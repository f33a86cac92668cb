import { setTimeout as sleep } from 'node:timers/promises'
import { createPatientFetch } from '../../clients/typescript/src/patient-fetch.ts'
import type { Contender } from './contenders.ts'
import { head, row, short } from './figures.ts'
import type { Issuer } from './issuer.ts'

const limits = { capacity: 100, rate: 50 }
const reads = 250

/** What a client sends its requests with. */
type Send = (request: Request) => Promise<Response>

/** A way to read that is compared. */
interface Way {
  readonly title: string
  /** What each client has of its own. */
  readonly create: () => Send
  readonly isAtOnce?: boolean
}

const ways: readonly Way[] = [
  { title: 'A loop that waits for Retry-After', create: () => naiveFetch },
  { title: 'The package, one after the other', create: createPatientFetch },
  { title: 'The package, all at once', create: createPatientFetch, isAtOnce: true },
]

/** Prints how long a machine takes for reads beyond its rate limit, as one client and as several that share its bucket. */
export async function printPatience(service: Contender, issuer: Issuer): Promise<void> {
  const worker = await service.start(undefined, {
    RATE_LIMIT_BURST_CAPACITY: String(limits.capacity),
    RATE_LIMIT_REPLENISH_RATE: String(limits.rate),
  })
  const url = new URL('/jsonapi/countries/NO', worker.url).href
  const secondsOf = async (way: Way, clients: number): Promise<number> => {
    // A bucket of its own, which is full.
    const token = await issuer.sign({ client: `${way.title} ${clients}` })
    const headers = { Authorization: `Bearer ${token}` }
    const start = performance.now()
    const all = Array.from({ length: clients }, (_, nth) => {
      const length = Math.floor((reads + nth) / clients)
      return read(
        way,
        Array.from({ length }, () => new Request(url, { headers })),
      )
    })
    await Promise.all(all)
    return (performance.now() - start) / 1000
  }
  const allowed = (reads - limits.capacity) / limits.rate
  console.log(`Seconds for ${reads} reads of price 1. The bucket allows ${allowed}.\n`)
  console.log(head('', '1 client', '4 clients'))
  for (const way of ways) {
    const seconds = [await secondsOf(way, 1), await secondsOf(way, 4)]
    console.log(row(way.title, ...seconds.map(short)))
  }
  await worker.close()
}

/** Reads as one client. */
async function read({ create, isAtOnce }: Way, requests: readonly Request[]): Promise<void> {
  const send = create()
  if (isAtOnce) {
    await Promise.all(requests.map((request) => expectAnswer(send(request))))
    return
  }
  for (const request of requests) {
    await expectAnswer(send(request))
  }
}

async function naiveFetch(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request)
    if (response.status !== 429) {
      return response
    }
    await sleep(1000 * Number(response.headers.get('Retry-After')))
  }
}

async function expectAnswer(sent: Promise<Response>): Promise<void> {
  const response = await sent
  await response.arrayBuffer()
  if (!response.ok) {
    throw new Error(`A read is answered ${response.status}.`)
  }
}
