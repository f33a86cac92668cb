import { cardKeys } from './card-keys.ts'
import { issuer } from './signing-key.ts'

/** Stands in for the platform's module `cloudflare:workers` where code of the Worker runs in Node (vitest.config.ts). */
export class DurableObject {
  readonly ctx: unknown
  constructor(ctx: unknown) {
    this.ctx = ctx
  }
}

/** The variables and secrets of a Worker, without bindings. */
export const env = {
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
}

/** Keeps nothing alive: Node does by itself. */
export function waitUntil(): void {}
