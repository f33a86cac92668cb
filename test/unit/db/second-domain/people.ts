import * as z from 'zod/mini'
import type { TableSource } from '../../../../src/db/source.ts'
import { type AccessRule, anyone } from '../../../../src/jsonapi/access.ts'
import { defineResource } from '../../../../src/jsonapi/resource.ts'
import { follows, people as table } from './tables.ts'

const writers: AccessRule = [{ scopes: ['people.write'] }]

/** People: stored, owned by nobody, paged by cursor, sorted by a number. */
export const people = defineResource({
  type: 'people',
  description: 'Those who write, and those who read them.',
  attributes: {
    nickname: {
      schema: z.string().check(z.minLength(1), z.maxLength(40)),
      required: true,
      access: anyone,
    },
    born: { schema: z.int(), required: true, access: anyone },
  },
  relationships: {
    favourite: {
      description: 'The tag the person likes best.',
      target: 'tags',
      cardinality: 'one',
      access: anyone,
      operations: { readOne: { access: anyone }, replaceOne: { access: writers } },
    },
    follows: {
      description: 'Whom the person reads: possibly themselves.',
      target: 'people',
      cardinality: 'many',
      pagination: 'cursor',
      access: anyone,
      operations: {
        readMany: { access: anyone },
        replaceMany: { access: writers },
        addMany: { access: writers, status: 202 },
        removeMany: { access: writers },
      },
    },
  },
  filters: { id: z.string() },
  sorts: ['born'],
  pagination: 'cursor',
  operations: {
    list: { access: anyone, headers: [['Cache-Control', 'public, max-age=5']] },
    create: { access: writers },
    get: { access: anyone },
    update: { access: writers },
    delete: { access: writers },
  },
  cacheControl: 'private, no-cache',
  newId: () => crypto.randomUUID(),
  source: {
    table,
    id: table.id,
    attributes: { nickname: { column: table.nickname }, born: { column: table.born } },
    relationships: {
      favourite: { column: table.favourite },
      follows: { table: follows, owner: follows.follower, target: follows.followed },
    },
  } satisfies TableSource,
})
