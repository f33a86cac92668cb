import * as z from 'zod/mini'
import { anyone, defineResource } from '../../../../src/jsonapi/declare/resource.ts'
import { tags as table } from './tables.ts'

/** Tags: read from the snapshot in memory, never paged. */
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
  relationships: {},
  pagination: 'none',
  operations: { list: { access: anyone }, get: { access: anyone } },
  cacheControl: 'private, max-age=60',
})
