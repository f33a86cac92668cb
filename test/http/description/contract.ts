import { readFileSync } from 'node:fs'
import { registry } from '../../../src/resources/index.ts'
import type { DescribedOperation } from './read-description.ts'

const contract = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8')

/** The cells of a table of the contract, row by row. @throws Error if no table has these names of columns */
export function tableWith(...columns: readonly string[]): readonly (readonly string[])[] {
  const [, rows] = contract.split(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`)
  if (rows === undefined) {
    throw new Error(`The contract has no table of ${columns}`)
  }
  const lines = rows.slice(0, rows.indexOf('\n\n')).split('\n')
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** Each code of an error with its status, by the table of the contract: `400 VALUE_IS_ABSENT`. */
export const errorRows = tableWith('Status', 'Code', 'When').map(
  ([status, code]) => `${status} ${code?.replaceAll('`', '')}`,
)

/** What every operation can answer with. */
const common = [400, 401, 403, 405, 406, 429, 500]

let shape = ''
/** A row for each shape of a request: `PATCH /{type}/{id}/relationships/{name} to-one`, and its statuses. */
const statusRows = tableWith('Request', 'Success', 'Further').map(([request = '', ...cells]) => {
  const [, method, path = shape, kind] =
    /^(\w+) (?:`(.+)`|of the same)(?:, (to-one|to-many))?/.exec(request) ?? []
  shape = path
  const own = [...cells.join().matchAll(/\b\d{3}\b/g)].map(([status]) => Number(status))
  return { method, path, kind, own }
})

/** The statuses that the contract gives an operation, in order. */
export function promisedStatuses({ method, path }: DescribedOperation): readonly string[] {
  const [, type = '', , below, name = below] = path.split('/')
  const isTransaction = !registry.types.includes(type)
  const related = isTransaction ? undefined : registry.get(type).relationships[name ?? '']
  const shaped = isTransaction
    ? path
    : `/{type}${path.slice(type.length + 1)}`.replace(new RegExp(`${name}$`), '{name}')
  const rows = statusRows.filter(
    (row) =>
      row.method === method &&
      row.path === shaped &&
      (!row.kind || row.kind === `to-${related?.cardinality}`),
  )
  if (rows.length !== 1) {
    throw new Error(`The contract has ${rows.length} rows for ${method} ${shaped}`)
  }
  const all = [...common, ...(isTransaction ? [] : [412]), ...rows.flatMap(({ own }) => own)]
  return [...new Set(all)].sort().map(String)
}
