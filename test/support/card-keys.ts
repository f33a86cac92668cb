/** The secret `CARD_KEYS` of Workers under test: a ring of one key. */
export const cardKeys = JSON.stringify({ current: 'test', keys: { test: 'A'.repeat(43) } })
