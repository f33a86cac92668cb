/* How tables are declared. The build for PostgreSQL uses `postgres/pg-columns.ts` in place of this file. */

import { integer } from 'drizzle-orm/sqlite-core'

export {
  index,
  integer,
  primaryKey,
  sqliteTable as table,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/** A boolean column. */
export const boolean = (name: string) => integer(name, { mode: 'boolean' })

/** A column of timestamps in milliseconds. */
export const timestamp = (name: string) => integer(name, { mode: 'timestamp_ms' })

/**
 * The number of rows of a counter. One is enough, because D1
 * [runs one query at a time](https://developers.cloudflare.com/d1/platform/limits/).
 */
export const counterRows = 1
