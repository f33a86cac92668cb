import { bucketRows } from './bucket-rows.ts'
import { type Measured, measureOperations } from './measure.ts'
import { limiterPrice, pricesPerMillion as price, pricesDate } from './prices.ts'

const few = await measureOperations(0)
const many = await measureOperations(20_000)

console.log(
  `US dollars per million requests, beyond what the plan includes; prices of ${pricesDate}.\n`,
)
console.log(
  '| Operation | Rows read | Rows written | CPU at most, ms | Worker | D1 | Limiter: busy caller, slow one, rare one | Log | Together |',
)
console.log('|---|---|---|---|---|---|---|---|---|')
for (const [index, measured] of many.entries()) {
  console.log(rowOf(measured, few[index]?.rowsRead ?? 0))
}

function rowOf(measured: Measured, rowsReadOfFew: number): string {
  const { name, tokens, rowsRead, rowsWritten, cpuMilliseconds } = measured
  const worker = price.requests + cpuMilliseconds * price.cpuMilliseconds
  const d1 = rowsRead * price.rowsRead + rowsWritten * price.rowsWritten
  // As fast as the bucket allows, once a second, or so rarely that the object starts each time.
  const callers = [tokens / 50, 1, 60].map((seconds) =>
    limiterPrice(bucketRows(tokens, { seconds }).now),
  )
  const others = worker + d1 + price.logLines
  const cells = [
    name,
    rowsReadOfFew === rowsRead ? rowsRead : `${rowsReadOfFew} → ${rowsRead}`,
    rowsWritten,
    cpuMilliseconds.toFixed(1),
    money(worker),
    money(d1),
    callers.map(money).join(', '),
    money(price.logLines),
    callers.map((limiter) => money(others + limiter)).join(', '),
  ]
  return `| ${cells.join(' | ')} |`
}

function money(dollars: number): string {
  return dollars.toFixed(2)
}
