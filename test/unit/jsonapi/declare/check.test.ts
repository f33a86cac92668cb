import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { anyone } from '../../../../src/jsonapi/declare/access.ts'
import { checkDeclarations } from '../../../../src/jsonapi/declare/check.ts'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../../../../src/jsonapi/declare/resource.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { problemOf } from '../../db/second-domain/problem.ts'
import { tags } from '../../db/second-domain/tags.ts'

const problemWith = problemOf<ResourceDefinition>((definitions) =>
  checkDeclarations(createRegistry(definitions)),
)

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
            meta: { weight: { schema: () => z.string(), stored: undefined as never } },
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
              weight: { schema: () => z.enum(['LIGHT', 'a "b"']), stored: undefined as never },
            },
          },
        },
      },
    ],
  ])('such as %s', (_, problem, changed) => {
    expect(problemWith(changed)).toBe(problem)
  })
})
