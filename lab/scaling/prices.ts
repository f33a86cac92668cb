/** The day on which the prices were read in Cloudflare's documentation. */
export const pricesDate = '2026-11-21'

/**
 * Public prices of the Workers Paid plan, in US dollars for a million of each, beyond what the plan includes
 * (developers.cloudflare.com: workers/platform/pricing, d1/platform/pricing, durable-objects/platform/pricing).
 */
export const pricesPerMillion = {
  /** Requests to the Worker; at 10 million a month included. */
  requests: 0.3,
  /** Milliseconds of CPU; 30 million included. */
  cpuMilliseconds: 0.02,
  /** Rows that D1 scans; 25 billion included. Replicas cost nothing more. */
  rowsRead: 0.001,
  /** Rows that D1 or an object writes, each touched index counted; 50 million included, of each. */
  rowsWritten: 1,
  /** Calls of Durable Objects; 1 million included. */
  objectRequests: 0.15,
  /** Seconds of a Durable Object at 128 MB: 12.50 for a million GB-s; 400,000 GB-s included. */
  objectSeconds: 12.5 * 0.128,
  /** Lines in Workers Logs; 20 million included. */
  logLines: 0.6,
} as const

/** Seconds that an object is awake for a call, and for one that has to wait for its storage (platform's figures). */
const objectSeconds = { call: 0.001, write: 0.015 }

/** The price of a million calls of an object of the limiter, in US dollars. @param rows that each call writes on average */
export function limiterPrice(rows: number): number {
  const { objectRequests, rowsWritten, objectSeconds: second } = pricesPerMillion
  const seconds = objectSeconds.call + rows * objectSeconds.write
  return objectRequests + rows * rowsWritten + seconds * second
}
