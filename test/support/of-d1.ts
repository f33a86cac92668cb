import { describe, inject, it } from 'vitest'

/** What is true of D1 alone, and which tests of PostgreSQL stand for that. */
const ofD1 = {
  /** D1 tells how many rows statements have touched. The server's own statistics do: test/postgres/rows.test.ts. */
  rowsTold: true,
  /** D1 has replicas with bookmarks. Hyperdrive has one database, and no bookmark is given or read: test/http/api/operations/bookmarks.test.ts. */
  bookmarks: true,
  /** D1 is paid by rows. PostgreSQL is not. */
  prices: true,
}

const isD1 = inject('database') === 'D1'

/** `it`, on D1 alone. */
export const itOnD1 = (_what: keyof typeof ofD1): typeof it | typeof it.skip =>
  isD1 ? it : it.skip

/** `describe`, on D1 alone. */
export const describeOnD1 = (_what: keyof typeof ofD1): typeof describe | typeof describe.skip =>
  isD1 ? describe : describe.skip
