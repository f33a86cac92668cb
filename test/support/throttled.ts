import type { Answer } from './service.ts'

/** What the four headers say, as numbers. */
export function figuresOf({ headers }: Answer) {
  const number = (name: string) => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN)
  return {
    capacity: number('burst-capacity'),
    remaining: number('remaining'),
    rate: number('replenish-rate'),
    cost: number('requested-tokens'),
  }
}

/** The answers that the limiter let through. */
export const passed = (answers: readonly Answer[]) => answers.filter(({ status }) => status !== 429)

/** Sends everything at once; the answers, and the seconds in which tokens were replenished. */
export async function atOnce(
  count: number,
  send: () => Promise<Answer>,
): Promise<{ answers: readonly Answer[]; seconds: number }> {
  const start = performance.now()
  const answers = await Promise.all(Array.from({ length: count }, send))
  return { answers, seconds: (performance.now() - start) / 1000 }
}
