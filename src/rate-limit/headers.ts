import type { LimitVerdict } from './bucket.ts'

/** The headers of every answer that the limiter has seen: name, member of the verdict, and description. */
const counts = [
  ['X-RateLimit-Burst-Capacity', 'capacity', 'Initial and maximum number of tokens.'],
  ['X-RateLimit-Remaining', 'remaining', 'Tokens currently remaining.'],
  ['X-RateLimit-Replenish-Rate', 'rate', 'Tokens replenished per second.'],
  ['X-RateLimit-Requested-Tokens', 'cost', 'Cost of the request in tokens.'],
] as const

/** The descriptions of the X-RateLimit headers by name. */
export const rateLimitHeaderTexts: Readonly<Record<string, string>> = Object.fromEntries(
  counts.map(([name, , description]) => [name, description]),
)

/** The headers of a verdict. A refusal also has Retry-After, in whole seconds and at least 1. */
export function rateLimitHeaders(verdict: LimitVerdict): Readonly<Record<string, string>> {
  const headers = Object.fromEntries(
    counts.map(([name, member]) => [name, String(verdict[member])]),
  )
  const seconds = Math.max(1, Math.ceil(verdict.waitMs / 1_000))
  return verdict.allowed ? headers : { ...headers, 'Retry-After': String(seconds) }
}

/** The text of a refusal. */
export function refusalText({ cost, rate }: LimitVerdict): string {
  const price = cost === 1 ? '1 token' : `${cost} tokens`
  return `This request costs ${price}. The bucket holds fewer, and gains ${rate} a second.`
}
