import { bucketRows, type Rhythm } from './bucket-rows.ts'
import { limiterPrice, pricesDate } from './prices.ts'

/** Callers whose requests cost one token each. */
const callers: Readonly<Record<string, Rhythm>> = {
  'one request a minute': { seconds: 60 },
  'one in ten seconds': { seconds: 10 },
  'one in five seconds': { seconds: 5 },
  'one in two seconds': { seconds: 2 },
  'one a second': { seconds: 1 },
  'ten a second': { seconds: 0.1 },
  'fifty a second': { seconds: 0.02 },
  'twenty at once, every five seconds': { seconds: 5, atOnce: 20 },
  'a hundred at once, every minute': { seconds: 60, atOnce: 100 },
}

console.log(`US dollars for a million requests, prices of ${pricesDate}.\n`)
console.log(
  '| Caller | Rows with ceilings that only fall | Rows | The least | Limiter, before | Limiter |',
)
console.log('|---|---|---|---|---|---|')
for (const [name, rhythm] of Object.entries(callers)) {
  const { before, now, least } = bucketRows(1, rhythm)
  const cells = [name, million(before), million(now), million(least)]
  console.log(`| ${[...cells, ...[before, now].map(price)].join(' | ')} |`)
}

/** Rows for a million requests. */
function million(rows: number): string {
  return Math.round(rows * 1_000_000).toLocaleString('en')
}

function price(rows: number): string {
  return limiterPrice(rows).toFixed(2)
}
