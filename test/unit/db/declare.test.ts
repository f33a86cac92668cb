import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry } from '../../../src/db/declare.ts'
import type { StoredDefinition } from '../../../src/db/source.ts'
import { anyone } from '../../../src/jsonapi/declare/access.ts'
import { articles } from './second-domain/articles.ts'
import { people } from './second-domain/people.ts'
import { tagNeighbours } from './second-domain/tables.ts'
import { tags } from './second-domain/tags.ts'

/** What the registry says of the second domain with one of its types declared in another way. */
function problemWith(changed: StoredDefinition): string {
  const others = [articles, people, tags].filter(({ type }) => type !== changed.type)
  try {
    createRegistry([changed, ...others])
  } catch (error) {
    return (error as Error).message
  }
  return 'served'
}

const { label, kind } = tags.attributes
const { neighbours } = tags.relationships
const nullable = (column: SQLiteColumn) => ({ ...column, notNull: false }) as SQLiteColumn

describe('the registry refuses what cannot be served, with the reason and what to do', () => {
  it('and takes the second domain as it is', () => {
    expect(problemWith(tags)).toBe('served')
  })

  it.each<[title: string, problem: string, StoredDefinition]>([
    [
      'a type in memory that is written',
      'tags is read from a snapshot, which nothing is written to: leave out delete, or snapshot',
      { ...tags, operations: { ...tags.operations, delete: { access: anyone } } },
    ],
    [
      'a type in memory whose relationship is written',
      'tags is read from a snapshot, which nothing is written to: leave out addMany, or snapshot',
      {
        ...tags,
        relationships: {
          neighbours: { ...neighbours, operations: { addMany: { access: anyone } } },
        },
      },
    ],
    [
      'a type in memory that is sorted',
      'tags is read from a snapshot, which is in the order of ids, and a sort by label needs the database: leave out snapshot, or sortable',
      { ...tags, attributes: { label: { ...label, sortable: true }, kind } },
    ],
    [
      'a type in memory that is related to one that is not',
      'tags is read from a snapshot, and readers leads to people, which is not: declare snapshot there too, or leave it out here',
      { ...tags, relationships: { readers: { ...people.relationships.follows, operations: {} } } },
    ],
    [
      'a sort by a column that may be null',
      'articles.words may be null in the column that it is sorted by, and a page cannot begin after a null: declare the column with notNull, or a key column beside it',
      {
        ...articles,
        attributes: {
          ...articles.attributes,
          words: { ...articles.attributes.words, sortable: true },
        },
      },
    ],
    [
      'a sort by a sealed value',
      'articles.notes is stored as sealed, and such a column cannot be compared with a value: leave out sortable and filter',
      {
        ...articles,
        attributes: {
          ...articles.attributes,
          notes: { ...articles.attributes.notes, sortable: true },
        },
      },
    ],
    [
      'a filter on JSON',
      'articles.layout is stored as json, and such a column cannot be compared with a value: leave out sortable and filter',
      {
        ...articles,
        attributes: {
          ...articles.attributes,
          layout: { ...articles.attributes.layout, filter: z.string() },
        },
      },
    ],
    [
      'a type that is written and has no revision',
      'articles takes create, but has no revision: declare stored.revision, or leave out the operations that write',
      {
        ...articles,
        stored: (({ revision: _, ...rest }) => rest)(articles.stored),
      },
    ],
    [
      'a revision that may be null',
      'articles stores its revision in edition, which may be null, and a null equals no revision: declare the column with notNull',
      {
        ...articles,
        stored: {
          ...articles.stored,
          revision: nullable(articles.stored.revision as SQLiteColumn),
        },
      },
    ],
    [
      'an attribute that need not be sent, in a column that takes no null',
      'articles.section may have no value, and its column section takes no null: declare the attribute required and not nullable, or the column without notNull',
      {
        ...articles,
        attributes: {
          ...articles.attributes,
          section: (({ required: _, ...rest }) => rest)(articles.attributes.section),
        },
      },
    ],
    [
      'an attribute that null clears, beside a key that takes no null',
      'articles.words may have no value, and its column title_fold takes no null: declare the attribute required and not nullable, or the column without notNull',
      {
        ...articles,
        attributes: {
          ...articles.attributes,
          words: {
            ...articles.attributes.words,
            required: true,
            stored: {
              column: articles.attributes.words.stored.column,
              key: articles.attributes.title.stored.key as SQLiteColumn,
            },
          },
        },
      },
    ],
    [
      'a sort where there is no list',
      'tags.kind sorts or filters a collection that cannot be listed: declare the operation list, or leave out sortable and filter',
      { ...tags, id: { schema: z.string() }, operations: { get: { access: anyone } } },
    ],
    [
      'a create without ids',
      'articles can be created, but declares no newId, which makes ids: declare it, or leave out create',
      (({ newId: _, ...rest }) => rest)(articles as StoredDefinition),
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
            meta: { weight: { schema: z.string(), stored: tagNeighbours.weight } },
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
              weight: { schema: z.enum(['LIGHT', 'a "b"']), stored: tagNeighbours.weight },
            },
          },
        },
      },
    ],
  ])('such as %s', (_, problem, changed) => {
    expect(problemWith(changed)).toBe(problem)
  })

  it('but keeps a type in memory that is filtered by a folded key', () => {
    const { column } = kind.stored
    const folded = { ...kind, stored: { column, key: column } }
    expect(problemWith({ ...tags, attributes: { label, kind: folded } })).toBe('served')
  })
})
