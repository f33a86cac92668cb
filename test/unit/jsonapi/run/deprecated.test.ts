import { describe, expect, it } from 'vitest'
import { endpointName, endpointsOf } from '../../../../src/jsonapi/declare/endpoint.ts'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import { fieldTree } from '../../../../src/jsonapi/request/fields.ts'
import { attributesUsed, canUseDeprecated } from '../../../../src/jsonapi/run/deprecated.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { people } from '../../db/second-domain/people.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { tags } from '../../db/second-domain/tags.ts'
import { client, person } from '../request/requests.ts'
import { endpointOf, specOf } from './readers.ts'

// The second domain deprecates the attributes articles.handle and people.born, and the operations that read the favourite of a
// person and delete a person.

/** The names of the deprecated attributes that a request uses. */
function used(
  name: string,
  { query = {}, attributes = {}, principal = person('articles.read') }: Asking = {},
): string[] {
  const deprecations = attributesUsed(registry, endpointOf(name), {
    principal,
    query: specOf(name, query),
    payload: { attributes, relationships: {} },
  })
  return [...deprecations.keys()].map((one) => one.split('.').at(-1) ?? '')
}

interface Asking {
  readonly query?: Readonly<Record<string, string>>
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly principal?: ReturnType<typeof person>
}

describe('a read uses a deprecated attribute (contract, section 20)', () => {
  it.each<[what: string, name: string, query: Asking['query'], uses: string[]]>([
    ['that it shows', 'articles.get', {}, ['handle']],
    ['that it shows of many', 'articles.list', {}, ['handle']],
    ['that it names', 'articles.get', { 'fields[articles]': 'title,handle' }, ['handle']],
    ['that it includes', 'articles.get', { include: 'tags,author' }, ['handle', 'born']],
    [
      'that it includes two steps away',
      'articles.get',
      { include: 'author.follows', 'fields[articles]': 'author' },
      ['born'],
    ],
    [
      'that it includes behind resources that show none',
      'people.favourite.relatedOne',
      { include: 'neighbours' },
      [],
    ],
    ['that it includes with linkage', 'articles.author.readOne', { include: 'author' }, ['born']],
    ['that it shows of related resources', 'articles.author.relatedOne', {}, ['born']],
    [
      'that it sorts by',
      'articles.list',
      { sort: '-handle', 'fields[articles]': 'title' },
      ['handle'],
    ],
    [
      'that it filters by',
      'articles.list',
      { 'filter[handle]': 'a', 'fields[articles]': 'title' },
      ['handle'],
    ],
    ['that it sorts linkage by', 'people.follows.readMany', { sort: 'born' }, ['born']],
    ['but none that it leaves out', 'articles.list', { 'fields[articles]': 'title' }, []],
    ['but none by identifiers alone', 'people.follows.readMany', {}, []],
    ['but none of a type without any', 'tags.list', {}, []],
  ])('%s: %s with %j', (_, name, query = {}, uses) => {
    expect(used(name, { query })).toEqual(uses)
  })

  it('that it includes behind a resource that has none', () => {
    const neighbours = { ...tags.relationships.neighbours, target: 'people' }
    const led = createRegistry([articles, people, { ...tags, relationships: { neighbours } }])
    const include = new Map([['tags', new Map([['neighbours', new Map()]])]])
    const query = { include, fields: new Map([['articles', fieldTree(['tags'])]]) }
    expect(
      attributesUsed(led, endpointOf('articles.get'), {
        principal: person(),
        query: { ...query, sort: [], filter: {} },
        payload: { attributes: {}, relationships: {} },
      }),
    ).toEqual(new Map([['people.born', people.attributes.born.deprecated]]))
  })

  it('once, however many ways lead to it', () => {
    const query = { include: 'author,contributors.follows', sort: 'handle', 'filter[handle]': 'a' }
    expect(used('articles.list', { query })).toEqual(['handle', 'born'])
  })

  it('only where its caller may see it, of its own resources at most', () => {
    const query = { include: 'contributors', 'fields[people]': 'born' }
    expect(used('articles.list', { query })).toEqual(['handle', 'born'])
    expect(used('articles.list', { query, principal: client() })).toEqual([])
  })
})

describe('a write uses a deprecated attribute (contract, section 20)', () => {
  it.each<[what: string, name: string, asking: Asking, uses: string[]]>([
    ['that it sends', 'articles.update', { attributes: { title: 'T', handle: 'h' } }, ['handle']],
    ['that the answer shows', 'articles.create', {}, ['handle']],
    [
      'that it sends and does not ask for',
      'articles.create',
      { attributes: { handle: 'h' }, query: { 'fields[articles]': 'title' } },
      ['handle'],
    ],
    ['but none that it does not send', 'articles.update', { attributes: { title: 'T' } }, []],
    ['but none by a delete', 'people.delete', {}, []],
    ['but none by linkage', 'articles.author.replaceOne', {}, []],
  ])('%s: %s with %j', (_, name, asking, uses) => {
    expect(used(name, asking)).toEqual(uses)
  })

  it('also as an operation of a transaction, which has no query', () => {
    const operation = (name: string, attributes: object) => {
      const payload = { attributes: { ...attributes }, relationships: {} }
      return [
        ...attributesUsed(registry, endpointOf(name), { principal: person(), payload }).keys(),
      ]
    }
    expect(operation('people.create', {})).toEqual(['people.born'])
    expect(operation('people.update', { born: 1 })).toEqual(['people.born'])
    expect(operation('people.update', { nickname: 'n' })).toEqual([])
  })
})

describe('an endpoint can use something deprecated (contract, section 20)', () => {
  it('where it, its type or a type that include reaches declares so', () => {
    const able = endpointsOf(registry).filter((one) => canUseDeprecated(registry, one))
    expect([...new Set(able.map(({ definition }) => definition.type))]).toEqual([
      'articles',
      'people',
    ])
    expect(able.map(endpointName)).toContain('articles.tags.readMany')
  })

  it('where the type of its related resources declares so', () => {
    const { born: _, ...attributes } = people.attributes
    const quiet = { ...people, attributes, operations: { list: people.operations.list } }
    const neighbours = { ...tags.relationships.neighbours, target: 'people' }
    const loud = { ...tags, relationships: { neighbours } }
    const of = (definitions: Parameters<typeof createRegistry>[0]) => {
      const mixed = createRegistry(definitions)
      return endpointsOf(mixed)
        .filter((one) => canUseDeprecated(mixed, one))
        .map(endpointName)
    }
    expect(of([tags, people]).filter((name) => name.startsWith('tags'))).toEqual([])
    expect(of([loud, people])).toContain('tags.neighbours.relatedMany')
    expect(of([tags, quiet as typeof people])).toEqual([
      'people.favourite.readOne',
      'people.favourite.relatedOne',
    ])
  })
})
