import { getTableName } from 'drizzle-orm'
import { registry } from '../../src/resources/index.ts'
import type { Engine } from '../lib/config.ts'
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
