import { type SQLiteColumn, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { checkRegistry } from '../../../src/db/check.ts'
import type { StoredDefinition } from '../../../src/db/source.ts'
import { anyone } from '../../../src/jsonapi/declare/access.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { registry } from '../../../src/resources/index.ts'
import { articles } from './second-domain/articles.ts'
import { people } from './second-domain/people.ts'
import { problemOf } from './second-domain/problem.ts'
import { tags } from './second-domain/tags.ts'

const problemWith = problemOf<StoredDefinition>((definitions) =>
  checkRegistry(createRegistry(definitions as readonly StoredDefinition[])),
)

const { label, kind } = tags.attributes
const { neighbours } = tags.relationships
const cascading = sqliteTable('articles', {
  author: text('author').references(() => people.stored.id, { onDelete: 'cascade' }),
})
const nullable = (column: SQLiteColumn) => ({ ...column, notNull: false }) as SQLiteColumn

describe('the check of a registry refuses what cannot be served, with the reason and what to do', () => {
  it('and takes the second domain and this service as they are', () => {
    expect(problemWith(tags)).toBe('served')
    expect(() => checkRegistry(registry)).not.toThrow()
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
      'a type in memory whose resources have owners',
      'tags is read from a snapshot, which all callers share, and has owners: leave out stored.owner, or snapshot',
      { ...tags, stored: { ...tags.stored, owner: tags.stored.id } },
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
          layout: { ...articles.attributes.layout, filter: () => z.string() },
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
      'a counter of rows that go with others',
      'articles has a counter, and no write counts the rows that go with what author refers to: leave out counter, or the cascade',
      { ...articles, stored: { ...articles.stored, table: cascading } },
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
  ])('such as %s', (_, problem, changed) => {
    expect(problemWith(changed)).toBe(problem)
  })

  it('but keeps a type in memory that is filtered by a folded key', () => {
    const { column } = kind.stored
    const folded = { ...kind, stored: { column, key: column } }
    expect(problemWith({ ...tags, attributes: { label, kind: folded } })).toBe('served')
  })
})
