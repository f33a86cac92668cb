import { getTableName } from 'drizzle-orm'
import { registry } from '../../src/resources/index.ts'
import type { Engine } from '../lib/config.ts'
import type { Database } from './database.ts'
import { spellings } from './engines.ts'

/** The counters of the declared types, each with the table whose rows it counts. */
const counters = registry.types.flatMap((type) => {
  const { counter, table } = registry.get(type).stored
  return counter === undefined ? [] : [{ counter, table: getTableName(table) }]
})

/** The statements that set each counter to the number of rows, one for each. */
export function recountsOf(engine: Engine): string[] {
  return counters.map(({ counter, table }) => spellings[engine].recount(counter, table))
}

/** The same of D1. */
export const recounts: readonly string[] = recountsOf('d1')

/** A counter, and the number of rows of its table. */
export interface Compared {
  readonly counter: string
  /** Null where the counter is missing. */
  readonly value: number | null
  readonly rows: number
}

/** Compares each counter with the number of rows. It reads each counted table once. */
export async function compareCounters(database: Database): Promise<readonly Compared[]> {
  const { counted } = spellings[database.engine]
  const found = await database.query(
    counters.map(
      ({ counter, table }) =>
        `SELECT ${counted(counter)} AS value, (SELECT count(*) FROM ${table}) AS rows`,
    ),
  )
  return counters.map(({ counter }, index) => {
    const { value = null, rows } = found[index]?.[0] ?? {}
    return { counter, value: value === null ? null : Number(value), rows: Number(rows) }
  })
}

/** A sentence about each counter that is off. */
export function faultsIn(compared: readonly Compared[]): string[] {
  return compared
    .filter(({ value, rows }) => value !== rows)
    .map(
      ({ counter, value, rows }) =>
        `The counter of ${counter} says ${value ?? 'nothing'}, and there are ${rows}.`,
    )
}
