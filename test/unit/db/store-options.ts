import type { StoreOptions } from '../../../src/db/store.ts'

/** What a store is made of where a test is about something else. */
export const storeOptions = {
  waitUntil: () => {},
  quotas: { owned: 1_000, members: 1_000 },
  metered: false,
  deadlineMs: 5_000,
} satisfies Partial<StoreOptions>
