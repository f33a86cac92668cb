import { describe, expect, it } from 'vitest'
import type { AccessRule } from '../../../src/jsonapi/declare/access.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { articles } from '../db/second-domain/articles.ts'
import { people } from '../db/second-domain/people.ts'
import { tags } from '../db/second-domain/tags.ts'
import { startReadable } from './readable.ts'
import { startService } from './service.ts'

/** People whose year of birth only some callers may read, and tags whose kind only some may read. */
const access: AccessRule = [{ scopes: ['people.write'] }]
const born = { ...people.attributes.born, access }
const kind = { ...tags.attributes.kind, access }
const registry = createRegistry([
  articles,
  { ...people, attributes: { ...people.attributes, born } },
  { ...tags, attributes: { ...tags.attributes, kind } },
])

describe('who may not read an attribute of what a relationship leads to', () => {
  it.each([
    ['/articles/a1/tags?filter[kind]=plain', 'filter[kind]'],
    ['/tags/t1/relationships/neighbours?filter[kind]=plain', 'filter[kind]'],
  ])('may not filter by it: %s', async (path, parameter) => {
    const { get, roundTrips } = await startService(undefined, { registry })
    const refused = await get(path, { as: 'reader' })
    expect(refused.status).toBe(400)
    expect(refused.document).toMatchObject({
      errors: [{ code: 'INVALID_ENUM_VALUE', source: { parameter } }],
    })
    expect(roundTrips).toEqual([])
    // A caller who may read it reaches the database, which has nothing here.
    expect((await get(path)).status).toBe(404)
    expect(roundTrips).not.toEqual([])
  })
  it.each(['/people/p01/follows', '/articles/a01/relationships/contributors'])(
    'gets the order of ids where the sort names it: %s',
    async (path) => {
      const { get } = await startReadable(registry)
      const { document } = await get(path, { as: 'reader' })
      const sorted = await get(`${path}?sort=born`, { as: 'reader' })
      expect(document.data.length).toBeGreaterThan(1)
      expect(sorted.document.data).toEqual(document.data)
    },
  )
})
