/* How tables are declared on PostgreSQL: the exports of `../columns.ts`. */

import { bigint as pgBigint, timestamp as pgTimestamp } from 'drizzle-orm/pg-core'

export {
  boolean,
  index,
  integer,
  pgTable as table,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

/** A column of whole numbers that may need more than 32 bits. */
export const bigint = (name: string) => pgBigint(name, { mode: 'number' })

/** A column of points in time, to the millisecond. */
export const timestamp = (name: string) => pgTimestamp(name, { withTimezone: true, precision: 3 })
