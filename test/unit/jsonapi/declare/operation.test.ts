import { describe, expect, it } from 'vitest'
import { anyone } from '../../../../src/jsonapi/declare/access.ts'
import { type Operation, operations } from '../../../../src/jsonapi/declare/operation.ts'
import { createRegistry, endpointsOf } from '../../../../src/jsonapi/declare/registry.ts'
import { ruleOf } from '../../../../src/jsonapi/declare/resource.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { people } from '../../db/second-domain/people.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { tags } from '../../db/second-domain/tags.ts'

describe('endpoints follow from the declarations (contract, section 1)', () => {
  it.each<[Operation, relationship: string | undefined, rule: object | undefined]>([
    ['delete', undefined, articles.operations.delete],
    ['readMany', 'tags', articles.relationships.tags.operations.readMany],
    ['readMany', undefined, undefined],
    ['addMany', 'tags', undefined],
    ['readMany', 'nothing', undefined],
  ])('none for what is not declared: %s of %s', (operation, of, rule) => {
    expect(ruleOf(articles, operation, of)).toBe(rule)
  })

  it.each<[Operation, relationship: string]>([
    ['relatedMany', 'contributors'],
    ['relatedOne', 'author'],
  ])('one of %s wherever the linkage is read, with its access alone: %s', (operation, name) => {
    const { operations } = articles.relationships[name as 'contributors' | 'author']
    const rule = { access: anyone }
    const relationships = {
      ...articles.relationships,
      [name]: {
        ...articles.relationships[name as 'contributors'],
        operations: { ...operations, readOne: rule, readMany: rule },
      },
    }
    expect(ruleOf({ ...articles, relationships }, operation, name)).toEqual({ access: anyone })
    expect(ruleOf(articles, operation, 'nothing')).toBeUndefined()
    expect(ruleOf(articles, operation, undefined)).toBeUndefined()
  })

  it('and the second domain has one of every kind', () => {
    const offered = new Set(endpointsOf(registry).map(({ operation }) => operation))
    expect([...offered].toSorted()).toEqual(Object.keys(operations).toSorted())
  })
})

describe('a registry', () => {
  it('has each type under its name', () => {
    const { types, get } = createRegistry([tags, people])
    expect(types).toEqual(['tags', 'people'])
    expect(get('people')).toBe(people)
  })

  it('gives no type that is not there', () => {
    expect(() => createRegistry([tags]).get('people')).toThrow('There is no resource type people')
  })

  it('tells which types a document can hold: what three steps of include reach', () => {
    expect(registry.reachable('articles')).toEqual(['articles', 'people', 'tags'])
    expect(registry.reachable('tags')).toEqual(['tags'])
    const chain = ['a', 'b', 'c', 'd', 'e'].map((type, index, all) => {
      const target = all[index + 1]
      const relationships =
        target === undefined ? {} : { next: { ...people.relationships.favourite, target } }
      return { ...tags, type, relationships }
    })
    expect(createRegistry(chain).reachable('a')).toEqual(['a', 'b', 'c', 'd'])
  })
})
