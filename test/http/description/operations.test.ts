import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { registry } from '../../../src/resources/index.ts'
import { sealer } from '../../support/sealer.ts'
import { openLimiter } from '../../unit/rate-limit/open.ts'
import { operations } from './openapi.ts'

/** The limits where nothing is configured. */
const defaultRateLimit = rateLimitFrom({})

/** The operations of the contract, in its order. */
const table = [
  'GET /countries',
  'GET /countries/{id}',
  'GET /countries/{id}/relationships/currencies',
  'GET /currencies',
  'GET /users',
  'POST /users',
  'GET /users/{id}',
  'PATCH /users/{id}',
  'DELETE /users/{id}',
  'GET /users/{id}/relationships/citizenships',
  'PATCH /users/{id}/relationships/citizenships',
  'POST /users/{id}/relationships/citizenships',
  'DELETE /users/{id}/relationships/citizenships',
  'GET /users/{id}/relationships/placeOfBirth',
  'PATCH /users/{id}/relationships/placeOfBirth',
  'GET /users/{id}/relationships/relatives',
  'PATCH /users/{id}/relationships/relatives',
  'POST /users/{id}/relationships/relatives',
  'DELETE /users/{id}/relationships/relatives',
  'GET /countries/{id}/currencies',
  'GET /users/{id}/citizenships',
  'GET /users/{id}/placeOfBirth',
  'GET /users/{id}/relatives',
  'POST /operations',
]

const described = operations.map(({ method, path }) => `${method} ${path}`)

describe('The described operations', () => {
  it('hold those of the contract', () => {
    expect(described).toEqual(expect.arrayContaining(table))
  })

  it('are the routes of the application, all of them and no others', () => {
    const app = createApp({
      registry,
      root: '/jsonapi',
      sealer,
      callerName: vi.fn(),
      blockedCallers: new Set(),
      corsOrigins: new Set(),
      store: { begin: vi.fn() },
      verify: vi.fn(),
      limit: defaultRateLimit,
      limiter: openLimiter,
      bucketNames: { ofCaller: vi.fn(), ofAddress: vi.fn() },
    })
    // The routes for all methods answer those that a path does not take.
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/jsonapi/'))
      .map(
        ({ method, path }) => `${method} ${path.slice('/jsonapi'.length).replace(':id', '{id}')}`,
      )

    expect([...new Set(routes)].toSorted()).toEqual(described.toSorted())
  })

  it('have each an id of its own, a line of summary, a description and a tag that is described', () => {
    const ids = operations.map(({ operationId }) => operationId)

    expect(new Set(ids).size).toBe(operations.length)
    for (const { summary, description, tags } of operations) {
      expect(summary).toMatch(/^[A-Z][^\n]+$/)
      // A sentence says what it does, before who may call it.
      expect(description).toMatch(/^(?!Callers)[A-Z][^.\n]+\./)
      expect([...registry.types, 'operations']).toContain(tags[0])
    }
  })
})
