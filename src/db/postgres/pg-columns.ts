/* How tables are declared on PostgreSQL: the exports of `../columns.ts`. */

import { bigint, timestamp as pgTimestamp } from 'drizzle-orm/pg-core'

export {
  boolean,
  index,
  pgTable as table,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

/** A column of whole numbers, which has 64 bits, as in SQLite. */
export const integer = (name: string) => bigint(name, { mode: 'number' })

/** A column of points in time, to the millisecond. */
export const timestamp = (name: string) => pgTimestamp(name, { withTimezone: true, precision: 3 })

/** The number of rows of a counter. If it were one, all creates and deletes would wait for each other. */
export const counterRows = 16
