import { describe, expect, it } from 'vitest'
import { anyone } from '../../../../src/jsonapi/declare/access.ts'
import {
  isRead,
  methodsOf,
  type Operation,
  operations,
  type PathShape,
} from '../../../../src/jsonapi/declare/operation.ts'
import {
  createRegistry,
  endpointName,
  endpointsOf,
} from '../../../../src/jsonapi/declare/registry.ts'
import { ruleOf } from '../../../../src/jsonapi/declare/resource.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { people } from '../../db/second-domain/people.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { tags } from '../../db/second-domain/tags.ts'

describe('the generic operations (contract, section 1)', () => {
  it.each<[Operation, method: string, PathShape, status: number]>([
    ['list', 'GET', 'collection', 200],
    ['create', 'POST', 'collection', 201],
    ['get', 'GET', 'item', 200],
    ['update', 'PATCH', 'item', 204],
    ['delete', 'DELETE', 'item', 204],
    ['readOne', 'GET', 'toOne', 200],
    ['replaceOne', 'PATCH', 'toOne', 204],
    ['readMany', 'GET', 'toMany', 200],
    ['replaceMany', 'PATCH', 'toMany', 204],
    ['addMany', 'POST', 'toMany', 204],
    ['removeMany', 'DELETE', 'toMany', 204],
    ['relatedOne', 'GET', 'related', 200],
    ['relatedMany', 'GET', 'related', 200],
  ])('%s is %s on a path of shape %s and answers %d', (name, method, on, status) => {
    expect(operations[name]).toEqual({ method, on, status })
    expect(isRead(name)).toBe(method === 'GET')
  })

  it.each<[PathShape, string[]]>([
    ['collection', ['GET', 'POST']],
    ['item', ['GET', 'PATCH', 'DELETE']],
    ['toOne', ['GET', 'PATCH']],
    ['toMany', ['GET', 'PATCH', 'POST', 'DELETE']],
    ['related', ['GET']],
  ])('a path of shape %s takes %j (contract, section 1)', (shape, methods) => {
    expect(methodsOf(shape)).toEqual(methods)
  })
})

describe('endpoints follow from the declarations', () => {
  it('one for every operation that is declared, and none else', () => {
    expect(endpointsOf(registry).map(endpointName)).toEqual([
      'articles.list',
      'articles.create',
      'articles.get',
      'articles.update',
      'articles.delete',
      'articles.author.readOne',
      'articles.author.replaceOne',
      'articles.author.relatedOne',
      'articles.contributors.readMany',
      'articles.contributors.replaceMany',
      'articles.contributors.addMany',
      'articles.contributors.removeMany',
      'articles.contributors.relatedMany',
      'articles.tags.readMany',
      'articles.tags.replaceMany',
      'articles.tags.relatedMany',
      'people.list',
      'people.create',
      'people.get',
      'people.update',
      'people.delete',
      'people.favourite.readOne',
      'people.favourite.replaceOne',
      'people.favourite.relatedOne',
      'people.follows.readMany',
      'people.follows.replaceMany',
      'people.follows.addMany',
      'people.follows.removeMany',
      'people.follows.relatedMany',
      'tags.list',
      'tags.get',
      'tags.neighbours.readMany',
      'tags.neighbours.relatedMany',
    ])
  })

  it.each<[Operation, relationship: string | undefined, rule: object | undefined]>([
    ['delete', undefined, articles.operations.delete],
    ['readMany', 'tags', articles.relationships.tags.operations.readMany],
    ['readMany', undefined, undefined],
    ['addMany', 'tags', undefined],
    ['readMany', 'nothing', undefined],
  ])('none for what is not declared (contract, section 1): %s of %s', (operation, of, rule) => {
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
