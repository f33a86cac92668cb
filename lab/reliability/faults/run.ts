import { argumentsOrExit } from '../../../scripts/lib/arguments.ts'
import type { Row } from './rows.ts'
import type { Stage } from './stage.ts'

const help = `Lets every dependency fail in every way, times every operation, and looks at what callers are told.

  npx node scripts/run.js lab/reliability/faults/run.ts
  npx node scripts/run.js lab/reliability/faults/run.ts --only "key set"

  --only <text>   the faults whose name holds the text
`

const values = argumentsOrExit({
  name: 'faults',
  help,
  options: { only: { type: 'string', default: '' } },
})

// Loaded only now: help is told at once.
const { play } = await import('./cell.ts')
const { startStage, workerOf } = await import('./stage.ts')
const { configurationRows } = await import('./configuration-rows.ts')
const { databaseRows } = await import('./database-rows.ts')
const { keyRows } = await import('./key-rows.ts')
const { objectRows } = await import('./object-rows.ts')

/** Workers that run at once. */
const most = 24
/** Rows that are played at once. */
const lanes = 4

const rows = [...databaseRows, ...keyRows, ...objectRows, ...configurationRows].filter(
  ({ group, name }) => `${group}: ${name}`.includes(values.only),
)
const start = Date.now()
const cells: Record<string, number> = {}
const faults: string[] = []
for (let from = 0; from < rows.length; from += most) {
  const some = rows.slice(from, from + most)
  const stage = await startStage(some)
  const waiting = some.entries()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const [index, row] of waiting) {
        await playRow(stage, index, row)
      }
    }),
  )
  await stage.close()
}

for (const fault of faults) {
  console.error(fault)
}
for (const [group, count] of Object.entries(cells)) {
  console.log(`${group}: ${count} cells`)
}
const total = Object.values(cells).reduce((sum, count) => sum + count, 0)
const seconds = ((Date.now() - start) / 1000).toFixed(1)
console.log(`${rows.length} faults, ${total} cells, ${faults.length} wrong, in ${seconds} s`)
process.exitCode = faults.length === 0 && total > 0 ? 0 : 1

async function playRow(stage: Stage, index: number, row: Row): Promise<void> {
  for (const phase of row.phases) {
    const found = await play(stage, workerOf(index), row, phase)
    cells[row.group] = (cells[row.group] ?? 0) + found.cells
    faults.push(...found.faults)
  }
}
