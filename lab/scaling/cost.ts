import { bucketWrites, type Measured, measureOperations } from './measure.ts'
import { pricesPerMillion as price, pricesDate } from './prices.ts'

/** Seconds that an object is awake for a call, and for one that has to wait for its storage (platform's figures). */
const objectSeconds = { call: 0.001, write: 0.015 }

const few = await measureOperations(0)
const many = await measureOperations(20_000)

console.log(
  `US dollars per million requests, beyond what the plan includes; prices of ${pricesDate}.\n`,
)
console.log(
  '| Operation | Rows read | Rows written | CPU at most, ms | Worker | D1 | Limiter: busy caller, lone one | Log | Together |',
)
console.log('|---|---|---|---|---|---|---|---|---|')
for (const [index, measured] of many.entries()) {
  console.log(rowOf(measured, few[index]?.rowsRead ?? 0))
}

function rowOf(measured: Measured, rowsReadOfFew: number): string {
  const { name, tokens, rowsRead, rowsWritten, cpuMilliseconds } = measured
  const worker = price.requests + cpuMilliseconds * price.cpuMilliseconds
  const d1 = rowsRead * price.rowsRead + rowsWritten * price.rowsWritten
  // As fast as the bucket allows, or so slowly that it is full each time.
  const busy = limiterCost(bucketWrites(tokens, tokens / 50))
  const lone = limiterCost(bucketWrites(tokens, 10))
  const others = worker + d1 + price.logLines
  const cells = [
    name,
    rowsReadOfFew === rowsRead ? rowsRead : `${rowsReadOfFew} → ${rowsRead}`,
    rowsWritten,
    cpuMilliseconds.toFixed(1),
    money(worker),
    money(d1),
    `${money(busy)}, ${money(lone)}`,
    money(price.logLines),
    `${money(others + busy)}, ${money(others + lone)}`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Of a call of the limiter that writes so many rows. */
function limiterCost(rows: number): number {
  const seconds = objectSeconds.call + rows * objectSeconds.write
  return price.objectRequests + rows * price.rowsWritten + seconds * price.objectSeconds
}

function money(dollars: number): string {
  return dollars.toFixed(2)
}
