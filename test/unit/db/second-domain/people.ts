import * as z from 'zod/mini'
import {
  type AccessRule,
  anyone,
  defineResource,
  toMany,
  toOne,
} from '../../../../src/jsonapi/declare/resource.ts'
import { follows, people as table } from './tables.ts'

const writing: { readonly access: AccessRule } = { access: [{ scopes: ['people.write'] }] }
const open = { access: anyone }

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
      ...{ required: true, ...open },
    },
    born: {
      schema: () => z.int(),
      stored: { column: table.born },
      ...{ required: true, ...open, sortable: true },
    },
  },
  relationships: {
    favourite: toOne('tags', {
      description: 'The tag the person likes best.',
      stored: table.favourite,
      ...open,
      operations: { readOne: open, replaceOne: writing },
    }),
    follows: toMany('people', {
      description: 'Whom the person reads: possibly themselves.',
      stored: { table: follows, owner: follows.follower, target: follows.followed },
      pagination: { by: 'cursor', size: 20 },
      ...open,
      operations: {
        ...{ readMany: open, replaceMany: writing, removeMany: writing },
        addMany: { ...writing, status: 202 },
      },
    }),
  },
  pagination: { by: 'cursor', size: 20 },
  operations: {
    list: { ...open, headers: [['Cache-Control', 'public, max-age=5']] },
    create: { ...writing, newId: () => crypto.randomUUID() },
    ...{ get: open, update: writing, delete: writing },
  },
  cacheControl: 'private, no-cache',
})
