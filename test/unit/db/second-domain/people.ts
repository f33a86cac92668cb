import * as z from 'zod/mini'
import {
  type AccessRule,
  anyone,
  defineResource,
  toMany,
  toOne,
} from '../../../../src/jsonapi/declare/resource.ts'
import { follows, people as table } from './tables.ts'

const writers: AccessRule = [{ scopes: ['people.write'] }]

/** People: stored, owned by nobody, paged by cursor, sorted by a number. */
export const people = defineResource({
  type: 'people',
  description: 'Those who write, and those who read them.',
  stored: { table, id: table.id, revision: table.state },
  id: { schema: () => z.string(), filter: true },
  attributes: {
    nickname: {
      schema: () => z.string().check(z.minLength(1), z.maxLength(40)),
      stored: { column: table.nickname },
      required: true,
      access: anyone,
    },
    born: {
      schema: () => z.int(),
      stored: { column: table.born },
      required: true,
      access: anyone,
      sortable: true,
    },
  },
  relationships: {
    favourite: toOne('tags', {
      description: 'The tag the person likes best.',
      stored: table.favourite,
      access: anyone,
      operations: {
        readOne: { access: anyone },
        replaceOne: { access: writers },
      },
    }),
    follows: toMany('people', {
      description: 'Whom the person reads: possibly themselves.',
      stored: { table: follows, owner: follows.follower, target: follows.followed },
      pagination: { by: 'cursor', size: 20 },
      access: anyone,
      operations: {
        readMany: { access: anyone },
        replaceMany: { access: writers },
        addMany: { access: writers, status: 202 },
        removeMany: { access: writers },
      },
    }),
  },
  pagination: { by: 'cursor', size: 20 },
  operations: {
    list: { access: anyone, headers: [['Cache-Control', 'public, max-age=5']] },
    create: { access: writers, newId: () => crypto.randomUUID() },
    get: { access: anyone },
    update: { access: writers },
    delete: { access: writers },
  },
  cacheControl: 'private, no-cache',
})
