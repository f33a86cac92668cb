import * as z from 'zod/mini'
import { anyone, defineResource, toMany } from '../../../../src/jsonapi/declare/resource.ts'
import { tags as table, tagNeighbours } from './tables.ts'

/** Tags: read from the snapshot in memory, never paged, related to each other with meta. */
export const tags = defineResource({
  type: 'tags',
  description: 'Words that articles are found by.',
  stored: { table, id: table.id },
  snapshot: true,
  id: { schema: () => z.string(), filter: true },
  attributes: {
    label: { schema: () => z.string(), stored: { column: table.label }, access: anyone },
    kind: {
      schema: () => z.string(),
      stored: { column: table.kind },
      access: anyone,
      filter: true,
    },
  },
  relationships: {
    neighbours: toMany('tags', {
      description: 'Tags that stand near the tag.',
      stored: {
        table: tagNeighbours,
        owner: tagNeighbours.tag,
        target: tagNeighbours.neighbour,
      },
      pagination: 'none',
      meta: { weight: { schema: () => z.enum(['LIGHT', 'HEAVY']), stored: tagNeighbours.weight } },
      access: anyone,
      operations: { readMany: { access: anyone } },
    }),
  },
  pagination: 'none',
  operations: { list: { access: anyone }, get: { access: anyone } },
  cacheControl: 'private, max-age=60',
})
