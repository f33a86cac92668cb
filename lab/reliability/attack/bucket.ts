import { send } from '../lib/send.ts'
import { startService } from '../lib/service.ts'

/** The numbers of wrangler.toml: tokens, and tokens a second. */
const limits = { burst: 100, rate: 50 }

/** Requests of one caller at twice the rate, at even intervals, whatever becomes of those before. */
export async function attackBucket(seconds: number) {
  const service = await startService({ limit: limits, people: 1 })
  const request = {
    method: 'GET',
    path: '/jsonapi/currencies',
    headers: [
      ['Accept', 'application/vnd.api+json'],
      ['Authorization', `Bearer ${await service.sign()}`],
    ] as const,
  }
  const interval = 1000 / (2 * limits.rate)
  const statuses: Promise<number>[] = []
  const start = performance.now()
  for (let sent = 0; sent < (seconds * 1000) / interval; sent++) {
    const due = start + sent * interval - performance.now()
    if (due > 0) {
      await new Promise((resolve) => setTimeout(resolve, due))
    }
    statuses.push(send(service.origin, request).then(({ status }) => status))
  }
  const sending = (performance.now() - start) / 1000
  const answers = await Promise.all(statuses)
  const took = (performance.now() - start) / 1000
  await service.close()
  const count = (wanted: number): number => answers.filter((status) => status === wanted).length
  const admitted = count(200)
  // The most that can have passed is what was due until the last answer, the least what was due while requests were sent.
  const most = Math.floor(limits.burst + limits.rate * took)
  const due = limits.burst + limits.rate * sending
  return {
    sent: answers.length,
    admitted,
    refused: count(429),
    others: answers.length - admitted - count(429),
    'seconds of sending': Number(sending.toFixed(1)),
    'seconds to the last answer': Number(took.toFixed(1)),
    bound: most,
    'share of the bound': `${((100 * admitted) / most).toFixed(1)} %`,
    isBound: admitted <= most,
    isGenerous: admitted >= 0.97 * due,
  }
}
