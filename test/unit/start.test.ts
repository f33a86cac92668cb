import { expect, it, vi } from 'vitest'
import * as z from 'zod'
import { cardKeys } from '../support/card-keys.ts'
import { issuer } from '../support/signing-key.ts'

vi.mock('cloudflare:workers', () => ({
  env: {
    AUTH_URL: issuer,
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: 'https://api.example/jsonapi',
    JWKS_URL: `${issuer}/jwks`,
    CARD_KEYS: cardKeys,
    CORS_ORIGINS: 'https://page.example',
    RATE_LIMIT_BURST_CAPACITY: '100',
    RATE_LIMIT_REPLENISH_RATE: '50',
    RATE_LIMIT_READ_COST: '1',
    RATE_LIMIT_WRITE_COST: '5',
  },
  waitUntil: () => {},
  DurableObject: class {},
}))

it('a start makes schemas of seven kinds, because the first schema of a kind takes long (docs/performance.md, "Starting the Worker")', async () => {
  vi.stubGlobal('caches', { default: {} })
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const kinds = new Set<string>()
  z.config({
    postProcessor: (made) => {
      if (made instanceof z.ZodType) {
        kinds.add(made.type)
      }
    },
  })
  // A name that vitest follows but the compiler does not: the platform's types do not mix with Node's.
  const { default: worker } = await import('../../src/worker.ts' as string)
  const { status } = await worker.fetch(new Request('https://api.example/'))
  expect(status).toBe(200)
  expect([...kinds].sort()).toEqual([
    'custom',
    'enum',
    'never',
    'object',
    'optional',
    'record',
    'string',
  ])
})
