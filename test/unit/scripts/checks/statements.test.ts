import { afterAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { integer, table, text } from '#columns'
import { problemsIn } from '../../../../scripts/checks/declarations.ts'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import { anyone, type ResourceDefinition } from '../../../../src/jsonapi/declare/resource.ts'
import { databasesFor } from '../../declared/databases.ts'
import { serviceOn } from '../../declared/service.ts'

vi.spyOn(console, 'log').mockReturnValue()

/** A type of numbers, five of which are sorted by. */
function widthOf(count: number) {
  const names = Array.from({ length: count }, (_, nth) => `n${nth}`)
  const columns = Object.fromEntries(names.map((name) => [name, integer(name).notNull()]))
  const own = table('things', { id: text('id').primaryKey(), ...columns })
  const attributes = names.map((name, nth) => {
    const stored = { column: own[name as never] }
    const sortable = nth < 5 ? { sortable: true } : {}
    return [name, { schema: () => z.int(), stored, access: anyone, ...sortable }]
  })
  const things = {
    ...{ type: 'things', description: 'Things.', cacheControl: 'no-store', relationships: {} },
    ...{ stored: { table: own, id: own.id }, attributes: Object.fromEntries(attributes) },
    pagination: { by: 'offset', size: 2, max: 2 },
    operations: { list: { access: anyone } },
  } as unknown as ResourceDefinition
  return { own, registry: createRegistry([things]) }
}

const databases = await databasesFor(1)
afterAll(databases.close)

describe('a type of the most columns that D1 takes in an answer', () => {
  it('is read in an order of five keys', async () => {
    const { own, registry } = widthOf(91)
    expect(problemsIn(registry, [])).toEqual([])
    const { database } = await databases.create([own as never])
    const { status } = await serviceOn(database, registry)('GET', '/things?sort=n0,n1,n2,n3,n4')
    expect(status).toBe(200)
  })

  it('is refused with one more', () => {
    expect(problemsIn(widthOf(92).registry, [])).toEqual([
      'things is read in up to 101 columns, and D1 takes 100: declare fewer attributes, relationships or sorts',
    ])
  })
})
