import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { registry } from '../../../src/resources/index.ts'
import { appOptions } from '../../unit/http/app-options.ts'
import { promisedStatuses } from './contract.ts'
import { operations } from './openapi.ts'

const described = operations.map(({ method, path }) => `${method} ${path}`)

describe('The described operations', () => {
  it('are the routes of the application, all of them and no others', () => {
    const store = { begin: vi.fn() }
    const app = createApp({ ...appOptions, root: '/jsonapi', registry, store, verify: vi.fn() })
    // The routes for all methods answer those that a path does not take.
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/jsonapi/'))
      .map(({ method, path }) => `${method} ${path.replace('/jsonapi', '').replace(':id', '{id}')}`)

    expect([...new Set(routes)].toSorted()).toEqual(described.toSorted())
  })

  it.each(operations)(
    'have the statuses of the contract, and no others: $method $path',
    (operation) => {
      expect(Object.keys(operation.responses).sort()).toEqual(promisedStatuses(operation))
    },
  )

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
