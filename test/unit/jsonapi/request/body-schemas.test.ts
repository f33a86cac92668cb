import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { bodyReader } from '../../../../src/jsonapi/request/body.ts'
import { endpointOf } from '../run/readers.ts'
import { editors, update } from './bodies.ts'

it('an update makes the schemas of the attributes and relationships that it sends, and no others', () => {
  const made: string[] = []
  const noted = (name: string) => () => {
    made.push(name)
    return z.string()
  }
  const { definition, operation } = endpointOf('articles.update')
  const attributes = Object.entries(definition.attributes).map(([name, attribute]) => [
    name,
    { ...attribute, schema: noted(name) },
  ])
  const contributors: object = {
    ...definition.relationships.contributors,
    meta: { part: { schema: noted('part') } },
  }
  const changed = {
    ...definition,
    attributes: Object.fromEntries(attributes),
    relationships: { ...definition.relationships, contributors },
  }
  const read = bodyReader(changed as typeof definition, operation, undefined)
  expect(read(update({ attributes: { title: 'T' } }), 'a1').ok).toBe(true)
  expect(read(update({ relationships: { author: { data: null } } }), 'a1').ok).toBe(true)
  expect(made).toEqual(['title'])
  const linkage = { contributors: { data: editors(1) } }
  expect(read(update({ relationships: linkage }), 'a1').ok).toBe(true)
  expect(made).toEqual(['title', 'part'])
})
