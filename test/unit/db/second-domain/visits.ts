import * as z from 'zod/mini'
import {
  type AccessRule,
  anyone,
  defineResource,
  toMany,
  toOne,
} from '../../../../src/jsonapi/declare/resource.ts'
import { similarVisits, visits as table } from './tables.ts'

const writers: AccessRule = [{ scopes: ['people.write'] }]
const time = () =>
  z.iso
    .datetime({ precision: 3 })
    .check(z.refine((text) => !text.startsWith('0000'), 'must be in the year 1 or later'))
const flag = () => z.enum(['true', 'false'])

/** Visits: texts, numbers, booleans and dates. All but texts are sorted only where they cannot be absent. */
export const visits = defineResource({
  type: 'visits',
  description: 'When somebody read something.',
  stored: { table, id: table.id, revision: table.version },
  id: { schema: () => z.string(), filter: true },
  attributes: {
    place: {
      schema: () => z.nullable(z.string()),
      stored: { column: table.place, key: table.placeFold },
      access: anyone,
      sortable: true,
      filter: () => z.string(),
    },
    ticket: {
      schema: () => z.string().check(z.maxLength(40)),
      stored: { column: table.ticket, key: table.ticketFold, unique: true },
      required: true,
      access: anyone,
      sortable: true,
    },
    begun: {
      schema: time,
      stored: { column: table.begun },
      required: true,
      access: anyone,
      sortable: true,
      filter: true,
    },
    pages: {
      schema: () => z.int(),
      stored: { column: table.pages },
      required: true,
      access: anyone,
      sortable: true,
      filter: () => z.string().check(z.regex(/^\d+$/)),
    },
    paid: {
      schema: () => z.boolean(),
      stored: { column: table.paid },
      required: true,
      access: anyone,
      sortable: true,
      filter: flag,
    },
    ended: { schema: () => z.nullable(time()), stored: { column: table.ended }, access: anyone },
    helped: {
      schema: () => z.nullable(z.boolean()),
      stored: { column: table.helped },
      access: anyone,
      filter: flag,
    },
    recorded: {
      schema: time,
      stored: { column: table.recorded },
      readOnly: true,
      access: anyone,
      sortable: true,
    },
  },
  relationships: {
    previous: toOne('visits', {
      description: 'The visit before.',
      stored: table.previous,
      access: anyone,
      operations: { readOne: { access: anyone }, replaceOne: { access: writers } },
    }),
    similar: toMany('visits', {
      description: 'Visits that are like the visit.',
      stored: {
        table: similarVisits,
        owner: similarVisits.visit,
        target: similarVisits.similar,
      },
      pagination: { by: 'cursor', size: 20 },
      access: anyone,
      operations: { readMany: { access: anyone }, replaceMany: { access: writers } },
    }),
  },
  pagination: { by: 'offset', size: 20, max: 100 },
  operations: {
    list: { access: anyone },
    create: { access: writers, newId: () => crypto.randomUUID() },
    get: { access: anyone },
    update: { access: writers },
    delete: { access: writers },
  },
  cacheControl: 'private, no-cache',
})
