import { createSealer, parseKeyRing } from '../../src/lib/key-ring.ts'

/** What seals the cursors of services in tests. */
export const sealer = createSealer(
  parseKeyRing(JSON.stringify({ current: 'k', keys: { k: 'A'.repeat(43) } })),
  'cursor',
)
