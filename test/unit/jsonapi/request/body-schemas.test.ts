import { describe, expect, it } from 'vitest'
import { bodyReader } from '../../../../src/jsonapi/request/body.ts'
import { endpointOf } from '../run/readers.ts'
import { editors, update } from './bodies.ts'

describe('an update', () => {
  /** A reader of updates of articles that notes the schemas it makes of attributes and of the `meta` of contributors. */
  function noting() {
    const { definition, operation } = endpointOf('articles.update')
    const made: string[] = []
    const noted = (name: string, schema: () => unknown) => () => {
      made.push(name)
      return schema()
    }
    const attributes = Object.entries(definition.attributes).map(([name, attribute]) => [
      name,
      { ...attribute, schema: noted(name, attribute.schema) },
    ])
    const { contributors } = definition.relationships
    const { part } = (contributors?.cardinality === 'many' && contributors.meta) || {}
    if (!contributors || !part) {
      throw new Error('Articles have no contributors with a part')
    }
    const changed = {
      ...definition,
      attributes: Object.fromEntries(attributes),
      relationships: {
        ...definition.relationships,
        contributors: {
          ...contributors,
          meta: { part: { ...part, schema: noted('part', part.schema) } },
        },
      },
    }
    return { read: bodyReader(changed as typeof definition, operation, undefined), made }
  }

  it('makes the schemas of the attributes that it sends, and no others', () => {
    const { read, made } = noting()
    expect(read(update({ attributes: { title: 'T' } }), 'a1').ok).toBe(true)
    expect(made).toEqual(['title'])
  })

  it('makes the schemas of the relationships that it sends, and no others', () => {
    const { read, made } = noting()
    expect(read(update({ relationships: { author: { data: null } } }), 'a1').ok).toBe(true)
    expect(made).toEqual([])
    const contributors = { data: editors(1) }
    expect(read(update({ relationships: { contributors } }), 'a1').ok).toBe(true)
    expect(made).toEqual(['part'])
  })
})
