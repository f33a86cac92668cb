import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { problemsIn } from '../../../src/db/check.ts'
import { anyone } from '../../../src/jsonapi/declare/access.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import type { Attribute, ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import { about, registry } from '../../../src/resources/index.ts'
import { articles } from './second-domain/articles.ts'
import { people } from './second-domain/people.ts'
import { tags } from './second-domain/tags.ts'

const scopes = ['articles.read', 'articles.write', 'articles.admin', 'people.write']

/** What the check says of the second domain with one of its types declared in another way. */
function problemsWith(changed: ResourceDefinition): string[] {
  const others = [articles, people, tags].filter(({ type }) => type !== changed.type)
  return problemsIn(createRegistry([changed, ...others]), scopes)
}

/** Articles with another attribute. */
const withAttribute = (name: string, attribute: Attribute): ResourceDefinition => ({
  ...articles,
  attributes: { ...articles.attributes, [name]: attribute },
})
/** Tags with other relationships, which reads of identifiers alone serve. */
const related = (relationships: ResourceDefinition['relationships']): ResourceDefinition => ({
  ...tags,
  relationships,
})

const { label, kind } = tags.attributes
const { neighbours } = tags.relationships
const { words, notes, layout, section, title } = articles.attributes
const cascading = sqliteTable('articles', {
  author: text('author').references(() => people.stored.id, { onDelete: 'cascade' }),
})
/** Tables from which a reference to people would keep them. */
const keeping = sqliteTable('articles', {
  author: text('author').references(() => people.stored.id),
})
const emptied = sqliteTable('articles', {
  author: text('author')
    .notNull()
    .references(() => people.stored.id, { onDelete: 'set null' }),
})
const keepingMembers = sqliteTable('follows', {
  person: text('person').notNull(),
  followed: text('followed')
    .notNull()
    .references(() => people.stored.id, { onDelete: 'restrict' }),
})
/** Further columns of articles. */
const more = sqliteTable('articles', {
  bytes: blob('bytes'),
  motto: text('motto'),
  mottoKey: text('motto_key').notNull().default(''),
  size: integer('size').notNull(),
  id: text('id').notNull(),
})
const motto: Attribute = {
  schema: () => z.nullable(z.string()),
  stored: { column: more.motto, key: more.mottoKey },
  access: anyone,
  sortable: true,
  filter: () => z.string(),
}

describe('the check of declarations tells what cannot be served, why, and what to write', () => {
  it('and takes the second domain and this service as they are', () => {
    expect(problemsWith(tags)).toEqual([])
    expect(problemsIn(registry, Object.keys(about.scopes))).toEqual([])
  })

  it.each<[title: string, problem: string, ResourceDefinition]>([
    [
      'a sort where there is no list',
      'tags is sorted or filtered by kind, and cannot be listed: declare the operation list, or leave out sortable and filter',
      { ...tags, id: { schema: () => z.string() }, operations: { get: { access: anyone } } },
    ],
    [
      'a name that needs escaping',
      "o'clock in articles is no name for a type or a field: take another one of letters and digits",
      withAttribute("o'clock", words),
    ],
    [
      'a name that JSON:API keeps',
      'id in articles is no name for a type or a field: take another one of letters and digits',
      withAttribute('id', words),
    ],
    [
      'a name that two fields have',
      'tags.label is an attribute and a relationship, which share their names: rename one of them',
      related({ label: neighbours }),
    ],
    [
      'a relationship to nothing',
      'tags.neighbours points to labels, which is not declared: add labels to the registry',
      related({ neighbours: { ...neighbours, target: 'labels' } }),
    ],
    ...(['LIGHT OR NOT', 'a"b'] as const).map((word): [string, string, ResourceDefinition] => [
      `meta with the word ${word}`,
      'tags.neighbours.meta.weight must be an enumeration of letters, digits and ._~-, since documents hold it unescaped: declare it by z.enum',
      related({
        neighbours: {
          ...neighbours,
          meta: {
            weight: {
              schema: () => z.enum(['LIGHT', word]),
              stored: neighbours.stored.target,
            },
          },
        },
      }),
    ]),
    [
      'meta of any text',
      'tags.neighbours.meta.weight must be an enumeration of letters, digits and ._~-, since documents hold it unescaped: declare it by z.enum',
      related({
        neighbours: {
          ...neighbours,
          meta: { weight: { schema: () => z.string(), stored: neighbours.stored.target } },
        },
      }),
    ],
    [
      'a column of another table',
      'tags.label is declared as a column of articles: name one of that table',
      withAttribute('words', { ...label, required: true }),
    ],
    [
      'a member in a column of another table',
      'tags.slug is declared as a column of tag_neighbours: name one of that table',
      related({
        neighbours: { ...neighbours, stored: { ...neighbours.stored, target: tags.stored.id } },
      }),
    ],
    [
      'a scope that no token has',
      'articles.words asks for the scope article.read, which no token has: write one of articles.read, articles.write, articles.admin, people.write, or declare it beside them',
      withAttribute('words', { ...words, access: [{ scopes: ['article.read'] }] }),
    ],
    [
      'an owner of what nobody owns',
      'people.update asks for the owner, and nobody owns people: declare stored.owner, or leave out owner',
      { ...people, operations: { ...people.operations, update: { access: [{ owner: true }] } } },
    ],
    [
      'a status that tells no success',
      'people.update succeeds with 304: declare a status from 200 to 299, and one with a body where a document is told',
      {
        ...people,
        operations: { ...people.operations, update: { access: anyone, status: 304 } },
      },
    ],
    [
      'a document in an answer that has no body',
      'tags.neighbours.readMany succeeds with 204: declare a status from 200 to 299, and one with a body where a document is told',
      related({
        neighbours: { ...neighbours, operations: { readMany: { access: anyone, status: 204 } } },
      }),
    ],
    [
      'a page that is larger than the largest',
      'people has pages of 30, and of 20 at most: declare whole numbers from 1 to 255, the size not above the most',
      { ...people, pagination: { by: 'cursor', size: 30, max: 20 } },
    ],
    [
      'a page that no cursor holds',
      'people.follows has pages of 20, and of 256 at most: declare whole numbers from 1 to 255, the size not above the most',
      {
        ...people,
        relationships: {
          ...people.relationships,
          follows: {
            ...people.relationships.follows,
            pagination: { by: 'cursor', size: 20, max: 256 },
          },
        },
      },
    ],
    [
      'a type in memory that is written',
      'tags is read from a snapshot, which nothing is written to: leave out delete, or snapshot',
      {
        ...tags,
        stored: { ...tags.stored, revision: tags.stored.id },
        operations: { ...tags.operations, delete: { access: anyone } },
      },
    ],
    [
      'a type in memory whose relationship is written',
      'tags is read from a snapshot, which nothing is written to: leave out addMany, or snapshot',
      {
        ...related({ neighbours: { ...neighbours, operations: { addMany: { access: anyone } } } }),
        stored: { ...tags.stored, revision: tags.stored.id },
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
      {
        ...tags,
        attributes: {
          label: {
            ...label,
            stored: { column: label.stored.column, key: tags.stored.id },
            sortable: true,
          },
          kind,
        },
      },
    ],
    [
      'a type in memory that is related to one that is not',
      'tags is read from a snapshot, and readers leads to people, which is not: declare snapshot there too, or leave it out here',
      related({ readers: { ...people.relationships.follows, operations: {} } }),
    ],
    [
      'a sort by a text without a column of its letters',
      "articles.motto is sorted by its letters, which no column holds: declare a column for them as stored.key, with notNull and the default ''",
      withAttribute('motto', { ...motto, stored: { column: more.motto } }),
    ],
    [
      'a sort by a number that may be missing',
      'articles.words may have no value, and only texts are sorted without one: declare the column with notNull, or leave out sortable',
      withAttribute('words', { ...words, sortable: true }),
    ],
    [
      'letters of a number',
      'articles.size is no text, and a key holds the letters of one: leave out stored.key',
      withAttribute('size', {
        schema: () => z.int(),
        required: true,
        stored: { column: more.size, key: more.mottoKey },
        access: anyone,
      }),
    ],
    [
      'a unique value that may be missing',
      'articles.motto is unique and may have no value, which only one resource could have: declare the column with notNull, or leave out unique',
      withAttribute('motto', { ...motto, stored: { ...motto.stored, unique: true } as never }),
    ],
    [
      'a sort by a sealed value',
      'articles.notes is stored as sealed, and such a column cannot be compared with a value: leave out sortable and filter',
      withAttribute('notes', { ...notes, sortable: true }),
    ],
    [
      'a filter on JSON',
      'articles.layout is stored as json, and such a column cannot be compared with a value: leave out sortable and filter',
      withAttribute('layout', { ...layout, filter: () => z.string() }),
    ],
    [
      'a type that is written and has no revision',
      'articles takes create, but has no revision: declare stored.revision, or leave out the operations that write',
      { ...articles, stored: (({ revision: _, ...rest }) => rest)(articles.stored) },
    ],
    [
      'a resource that is deleted along with another one',
      'articles would be deleted along with what author refers to: declare onDelete as set null, or leave it out',
      { ...articles, stored: { ...articles.stored, table: cascading } },
    ],
    [
      'a unique attribute without a unique index',
      'articles.section is unique, and nothing keeps two resources from having the same section_fold: declare a uniqueIndex on this column',
      withAttribute('section', {
        ...section,
        stored: { ...section.stored, unique: true },
      } as Attribute),
    ],
    [
      'a relationship without a foreign key',
      'articles.author has no foreign key: declare the column section with references(() => the id of people)',
      {
        ...articles,
        relationships: {
          author: { ...articles.relationships.author, stored: section.stored.column },
        },
      },
    ],
    [
      'a secret in a column of numbers',
      'articles.notes is stored as sealed, which is a text, and its column words is none: declare it by text()',
      withAttribute('notes', { ...notes, stored: { column: words.stored.column, as: 'sealed' } }),
    ],
    [
      'a column of bytes',
      'articles.bytes has a column of buffer, whose values no document holds: declare it by text, integer, boolean or timestamp',
      withAttribute('bytes', { ...words, stored: { column: more.bytes } }),
    ],
    [
      'a reference that would keep a resource from being deleted',
      'articles refers to people by author, and would keep them from being deleted: declare onDelete as cascade, or as set null of a column without notNull, or leave out the delete of people',
      { ...articles, stored: { ...articles.stored, table: keeping } },
    ],
    [
      'a reference that a delete cannot clear',
      'articles refers to people by author, and would keep them from being deleted: declare onDelete as cascade, or as set null of a column without notNull, or leave out the delete of people',
      { ...articles, stored: { ...articles.stored, table: emptied } },
    ],
    [
      'a member that would keep a resource from being deleted',
      'people.follows refers to people by followed, and would keep them from being deleted: declare onDelete as cascade, or as set null of a column without notNull, or leave out the delete of people',
      {
        ...people,
        relationships: {
          ...people.relationships,
          follows: {
            ...people.relationships.follows,
            stored: {
              table: keepingMembers,
              owner: keepingMembers.person,
              target: keepingMembers.followed,
            },
          },
        },
      },
    ],
    [
      'a to-one relationship in a column that takes no null',
      'articles.author may be empty, and its column size takes no null: declare the column without notNull',
      {
        ...articles,
        relationships: { author: { ...articles.relationships.author, stored: more.size } },
      },
    ],
    [
      'an attribute that need not be sent, in a column that takes no null',
      'articles.section may have no value, and its column section takes no null: declare the attribute required and not nullable, or the column without notNull',
      withAttribute('section', (({ required: _, ...rest }) => rest)(section)),
    ],
    [
      'an attribute that null clears, in a column that takes no null',
      'articles.title may have no value, and its column title takes no null: declare the attribute required and not nullable, or the column without notNull',
      withAttribute('title', { ...title, schema: () => z.nullable(z.string()) }),
    ],
  ])('such as %s', (_, problem, changed) => {
    expect(problemsWith(changed)).toContain(problem)
  })

  it('such as a type that is declared twice', () => {
    const problem = 'tags is declared twice: rename one of them, or take it out of the registry'
    expect(problemsIn(createRegistry([tags, tags]), scopes)).toEqual([problem, problem])
  })

  it('and tells all problems at once', () => {
    const twice = related({ label: neighbours, readers: people.relationships.follows })
    expect(problemsWith(twice).length).toBeGreaterThan(2)
  })

  it('but serves a sort by a text that may be missing, whose letters have a column', () => {
    expect(problemsWith(withAttribute('motto', motto))).toEqual([])
  })

  it('but serves a type in memory that is filtered by a folded key', () => {
    const folded = { ...kind, stored: { column: kind.stored.column, key: tags.stored.id } }
    expect(problemsWith({ ...tags, attributes: { label, kind: folded } })).toEqual([])
  })
})
