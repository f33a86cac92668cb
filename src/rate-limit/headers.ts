import type { LimitVerdict } from './client.ts'

/** The names of the integer headers (int32) of an answer that went through the limiter (contract, section 10). */
export const rateLimitHeaderNames = {
  capacity: 'X-RateLimit-Burst-Capacity',
  remaining: 'X-RateLimit-Remaining',
  rate: 'X-RateLimit-Replenish-Rate',
  cost: 'X-RateLimit-Requested-Tokens',
} as const

/** The descriptions of these headers (contract, section 10). */
export const rateLimitHeaderTexts: Readonly<Record<string, string>> = {
  [rateLimitHeaderNames.capacity]: 'Initial and maximum number of tokens.',
  [rateLimitHeaderNames.remaining]: 'Tokens currently remaining.',
  [rateLimitHeaderNames.rate]: 'Tokens replenished per second.',
  [rateLimitHeaderNames.cost]: 'Cost of the request in tokens.',
}

/** The headers of a verdict, each with its name and value: the four of every answer, and `Retry-After` for a refusal. */
export function rateLimitHeaders(
  verdict: LimitVerdict,
): (readonly [name: string, value: string])[] {
  const headers: (readonly [string, string])[] = [
    [rateLimitHeaderNames.capacity, String(verdict.capacity)],
    [rateLimitHeaderNames.remaining, String(verdict.remaining)],
    [rateLimitHeaderNames.rate, String(verdict.rate)],
    [rateLimitHeaderNames.cost, String(verdict.cost)],
  ]
  if (!verdict.allowed) {
    headers.push(['Retry-After', String(verdict.retryAfter)])
  }
  return headers
}
