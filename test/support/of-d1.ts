import { describe, inject } from 'vitest'

/** `describe` for what D1 alone has, and Hyperdrive has not: replicas with bookmarks. */
export const describeOnD1 = inject('database') === 'D1' ? describe : describe.skip
