import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { anyone } from '../../../../src/jsonapi/declare/access.ts'
import { checkDeclarations } from '../../../../src/jsonapi/declare/check.ts'
import { deprecationFault } from '../../../../src/jsonapi/declare/deprecation.ts'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../../../../src/jsonapi/declare/resource.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { problemOf } from '../../db/second-domain/problem.ts'
import { tags } from '../../db/second-domain/tags.ts'

const problemWith = problemOf<ResourceDefinition>((definitions) =>
  checkDeclarations(createRegistry(definitions)),
)

const { label, kind } = tags.attributes
const { neighbours } = tags.relationships

describe('the check of declarations refuses what the engine cannot serve, with the reason and what to do', () => {
  it('and takes the second domain as it is', () => {
    expect(problemWith(tags)).toBe('served')
  })

  it.each<[title: string, problem: string, ResourceDefinition]>([
    [
      'a sort where there is no list',
      'tags.kind sorts or filters a collection that cannot be listed: declare the operation list, or leave out sortable and filter',
      { ...tags, id: { schema: () => z.string() }, operations: { get: { access: anyone } } },
    ],
    [
      'a create without ids',
      'articles can be created, but declares no newId, which makes ids: declare it, or leave out create',
      (({ newId: _, ...rest }) => rest)(articles as ResourceDefinition),
    ],
    [
      'a deprecated attribute without a day',
      'tags.label declares a deprecation with a day that does not exist: write days like 2026-11-21',
      {
        ...tags,
        attributes: { kind, label: { ...label, deprecated: { since: '2026-02-30' } } },
      },
    ],
    [
      'an operation that is gone before it is deprecated',
      'tags.list declares the sunset 2026-01-01, which is before its deprecation on 2026-01-02: declare a later sunset (RFC 9745, section 4)',
      {
        ...tags,
        operations: {
          ...tags.operations,
          list: { access: anyone, deprecated: { since: '2026-01-02', sunset: '2026-01-01' } },
        },
      },
    ],
    [
      'a deprecated operation on a relationship with a link that is no URL',
      'tags.neighbours.readMany declares a deprecation with the link guides, which is not a URL: declare an absolute URL',
      {
        ...tags,
        relationships: {
          neighbours: {
            ...neighbours,
            operations: {
              readMany: { access: anyone, deprecated: { since: '2026-01-02', link: 'guides' } },
            },
          },
        },
      },
    ],
    [
      'a name that two fields have',
      'tags.label is an attribute and a relationship, which share their names: rename one of them',
      { ...tags, relationships: { label: neighbours } },
    ],
    [
      'a relationship to nothing',
      'tags.neighbours points to labels, which is not declared: add labels to the registry',
      { ...tags, relationships: { neighbours: { ...neighbours, target: 'labels' } } },
    ],
    [
      'meta of any text',
      'tags.neighbours.meta.weight must be an enumeration of letters, digits and ._~-, since documents hold it unescaped: declare it by z.enum',
      {
        ...tags,
        relationships: {
          neighbours: {
            ...neighbours,
            meta: { weight: { schema: () => z.string(), stored: undefined } },
          },
        },
      },
    ],
    [
      'meta of words that need escaping',
      'tags.neighbours.meta.weight must be an enumeration of letters, digits and ._~-, since documents hold it unescaped: declare it by z.enum',
      {
        ...tags,
        relationships: {
          neighbours: {
            ...neighbours,
            meta: {
              weight: { schema: () => z.enum(['LIGHT', 'a "b"']), stored: undefined },
            },
          },
        },
      },
    ],
  ])('such as %s', (_, problem, changed) => {
    expect(problemWith(changed)).toBe(problem)
  })
})

describe('a deprecation is declared by days of the calendar and the URL of a page (contract, section 20)', () => {
  const since = '2026-02-28'
  const noDay = /a day that does not exist/

  it.each([
    { since },
    { since, sunset: since },
    { since, sunset: '2028-02-29' },
    { since, link: 'https://service.example/guides' },
  ])('such as %j', (deprecation) => {
    expect(deprecationFault(deprecation)).toBeUndefined()
  })

  it.each<[object, RegExp]>([
    [{ since: '2026-02-29' }, noDay],
    [{ since: '2026-2-1' }, noDay],
    [{ since: '2026-02-01T00:00:00Z' }, noDay],
    [{ since: ' 2026-02-01' }, noDay],
    [{ since: '' }, noDay],
    [{ since, sunset: '2026-13-01' }, noDay],
    [{ since, sunset: 'soon' }, noDay],
    [{ since, sunset: '2026-02-27' }, /before its deprecation/],
    [{ since, link: '/guides' }, /not a URL/],
  ])('and not %j', (deprecation, fault) => {
    expect(deprecationFault({ since, ...deprecation })).toMatch(fault)
  })
})
