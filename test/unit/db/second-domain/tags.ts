import * as z from 'zod/mini'
import type { TableSource } from '../../../../src/db/source.ts'
import { anyone } from '../../../../src/jsonapi/access.ts'
import { defineResource } from '../../../../src/jsonapi/resource.ts'
import { tags as table, tagNeighbours } from './tables.ts'

/** Tags: kept in memory, never paged, related to each other with meta. */
export const tags = defineResource({
  type: 'tags',
  description: 'Words that articles are found by.',
  attributes: {
    label: { schema: z.string(), access: anyone },
    kind: { schema: z.string(), access: anyone },
  },
  relationships: {
    neighbours: {
      description: 'Tags that stand near the tag.',
      target: 'tags',
      cardinality: 'many',
      pagination: 'none',
      meta: { weight: z.enum(['LIGHT', 'HEAVY']) },
      access: anyone,
      operations: { readMany: { access: anyone } },
    },
  },
  filters: { id: z.string(), kind: z.string() },
  sorts: [],
  pagination: 'none',
  operations: { list: { access: anyone }, get: { access: anyone } },
  cacheControl: 'private, max-age=60',
  source: {
    table,
    id: table.id,
    attributes: { label: { column: table.label }, kind: { column: table.kind } },
    relationships: {
      neighbours: {
        table: tagNeighbours,
        owner: tagNeighbours.tag,
        target: tagNeighbours.neighbour,
        meta: { weight: tagNeighbours.weight },
      },
    },
    kept: true,
  } satisfies TableSource,
})
