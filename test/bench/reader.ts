import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPatientFetch } from '../../clients/typescript/src/patient-fetch.ts'

/** The ways to read that are compared. */
export const ways = {
  'A loop that waits for Retry-After': inTurn(naiveFetch),
  'The package, one after the other': inTurn(createPatientFetch()),
  'The package, all at once': allAtOnce(createPatientFetch()),
} as const

/** What a process is told to read, when it is told to begin. */
export interface Reading {
  readonly way: keyof typeof ways
  readonly url: string
  readonly token: string
  readonly count: number
}

type Send = (request: Request) => Promise<Response>

async function naiveFetch(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request)
    if (response.status !== 429) {
      return response
    }
    await sleep(1000 * Number(response.headers.get('Retry-After')))
  }
}

function inTurn(send: Send) {
  return async (requests: readonly Request[]) => {
    for (const request of requests) {
      await expectAnswer(send(request))
    }
  }
}

function allAtOnce(send: Send) {
  return (requests: readonly Request[]) =>
    Promise.all(requests.map((request) => expectAnswer(send(request))))
}

async function expectAnswer(sent: Promise<Response>): Promise<void> {
  const response = await sent
  await response.arrayBuffer()
  if (!response.ok) {
    throw new Error(`A read is answered ${response.status}.`)
  }
}

// Run as a process of its own, by patience.ts.
if (process.send) {
  process.send('ready')
  const [{ way, url, token, count }] = (await once(process, 'message')) as [Reading]
  const headers = { Authorization: `Bearer ${token}` }
  await ways[way](Array.from({ length: count }, () => new Request(url, { headers })))
  process.disconnect()
}
