import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/app.ts'
import type { AccessRule } from '../../../src/jsonapi/declare/access.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { articles } from '../db/second-domain/articles.ts'
import { people } from '../db/second-domain/people.ts'
import { tags } from '../db/second-domain/tags.ts'
import { appOptions } from './app-options.ts'

/** People whose year of birth only some callers may read, and tags whose kind only some may read. */
const access: AccessRule = [{ scopes: ['people.read'] }]
const born = { ...people.attributes.born, access }
const kind = { ...tags.attributes.kind, access }
const registry = createRegistry([
  articles,
  { ...people, attributes: { ...people.attributes, born } },
  { ...tags, attributes: { ...tags.attributes, kind } },
])

/** Asks as a person with some scopes; the store finds nothing. */
async function ask(path: string, scopes: readonly string[]) {
  vi.spyOn(console, 'log').mockReturnValue()
  const found = { records: [], members: [], more: false, position: undefined, related: [] }
  const read = vi.fn(async () => [{ ...found, total: undefined }] as const)
  const session = { read, write: vi.fn(), bookmark: async () => null }
  const usage = {
    roundTrips: 0,
    rowsRead: 0,
    rowsWritten: 0,
    attempts: 1,
    undone: 0,
    undoneMs: 0,
  }
  const app = createApp({
    ...appOptions,
    registry,
    store: { ...session, begin: async () => ({ ...session, usage }) },
    verify: () => ({ kind: 'user', issuer: 'i', id: 'ann', scopes: new Set(scopes) }),
  })
  const response = await app.request(path, { headers: { Authorization: 'Bearer x' } })
  return { status: response.status, document: await response.json(), reads: read.mock.calls.length }
}

describe('who may not read an attribute of what a relationship leads to (contract, section 4)', () => {
  it.each([
    ['/people/p1/follows?sort=born', 'sort'],
    ['/articles/a1/relationships/contributors?sort=born', 'sort'],
    ['/articles/a1/tags?filter[kind]=plain', 'filter[kind]'],
    ['/tags/t1/relationships/neighbours?filter[kind]=plain', 'filter[kind]'],
  ])('may neither sort nor filter by it: %s', async (path, parameter) => {
    const refused = await ask(path, ['articles.read'])
    expect(refused.status).toBe(400)
    expect(refused.document).toMatchObject({
      errors: [{ code: 'INVALID_ENUM_VALUE', source: { parameter } }],
    })
    expect(refused.reads).toBe(0)
    // A caller who may read it reaches the store, which finds nothing here.
    const taken = await ask(path, ['articles.read', 'people.read'])
    expect([taken.status, taken.reads]).toEqual([404, 1])
  })
})
