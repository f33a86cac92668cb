import { gte, like, type SQL, sql } from 'drizzle-orm'
import {
  check,
  integer,
  type SQLiteColumn,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { problemsIn } from '../../../../scripts/checks/declarations.ts'
import { largestRead } from '../../../../scripts/checks/statements.ts'
import { computed, filterBy } from '../../../../src/db/stored.ts'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import {
  type AccessRule,
  type Attribute,
  anyone,
  type ResourceDefinition,
  type ToMany,
} from '../../../../src/jsonapi/declare/resource.ts'
import { about, registry } from '../../../../src/resources/index.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { folders, folderTable } from '../../db/second-domain/folders.ts'
import { people } from '../../db/second-domain/people.ts'
import { articles as table } from '../../db/second-domain/tables.ts'
import { tags } from '../../db/second-domain/tags.ts'

const scopes = ['articles.read', 'articles.write', 'articles.admin', 'people.write', 'things.read']

/** What the check says of the second domain with one of its types declared in another way. */
function problemsWith(changed: ResourceDefinition): string[] {
  const others = [articles, people, tags, folders].filter(({ type }) => type !== changed.type)
  return problemsIn(createRegistry([changed, ...others]), scopes)
}

/** Articles with another attribute. */
const withAttribute = (name: string, attribute: object): ResourceDefinition => ({
  ...articles,
  attributes: { ...articles.attributes, [name]: attribute as Attribute },
})
/** Tags with other relationships. */
const related = (relationships: ResourceDefinition['relationships']): ResourceDefinition => ({
  ...tags,
  relationships,
})
/** People who follow others in another way. */
const following = (changed: Partial<ToMany>): ResourceDefinition => ({
  ...people,
  relationships: { follows: { ...people.relationships.follows, ...changed } },
})
/** Articles in another table. */
const inTable = (author: ReturnType<typeof text>): ResourceDefinition => ({
  ...articles,
  stored: { ...articles.stored, table: sqliteTable('articles', { author }) },
})
/** Articles whose author is in another column. */
const byAuthor = (stored: typeof articles.relationships.author.stored): ResourceDefinition => ({
  ...articles,
  relationships: { author: { ...articles.relationships.author, stored } },
})

const { label } = tags.attributes
const { neighbours } = tags.relationships
const { words, notes, layout, section, title } = articles.attributes
const setByServer = withAttribute('section', { ...section, readOnly: true })
const person = () => people.stored.id
/** Further columns of articles. */
const more = sqliteTable('articles', {
  motto: text('motto'),
  mottoKey: text('motto_key').notNull().default(''),
  size: integer('size').notNull(),
  layout: text('layout')
    .notNull()
    .$defaultFn(() => '[]'),
  opened: integer('opened', { mode: 'timestamp_ms' }),
})
/** Articles with a computed attribute. */
const computedOf = (columns: Parameters<typeof computed>[0], changed: object): ResourceDefinition =>
  withAttribute('made', {
    ...{ schema: () => z.string(), readOnly: true, access: anyone },
    ...{ stored: computed(columns, () => 'made'), ...changed },
  })
/** Folders, or another type, with a filter that is no attribute. */
const filtered = (
  name: string,
  of: ResourceDefinition = folders,
  access: AccessRule = anyone,
  on = of.stored.table,
  condition: (table: typeof folderTable, text: string) => SQL = () => sql`true`,
  schema = () => z.string(),
): ResourceDefinition => ({
  ...of,
  filters: {
    [name]: {
      description: 'Some.',
      schema,
      access,
      stored: filterBy(on, condition as Parameters<typeof filterBy>[1]),
    },
  },
})
/** Folders with a filter of a condition. */
const byCondition = (condition: Parameters<typeof filtered>[4], schema = () => z.string()) =>
  filtered('from', folders, anyone, folderTable, condition, schema)
/** Folders with many computed attributes. */
const wide: ResourceDefinition = {
  ...folders,
  attributes: {
    ...folders.attributes,
    ...Object.fromEntries(
      Array.from({ length: 99 }, (_, nth) => [
        `made${nth}`,
        {
          ...{ schema: () => z.string(), readOnly: true, access: anyone },
          stored: computed(Object.fromEntries(Object.entries(folderTable).slice(0, 30)), () => ''),
        },
      ]),
    ),
  },
}
const largest = largestRead(createRegistry([wide]), wide)
const motto = {
  schema: () => z.nullable(z.string()),
  stored: { column: more.motto, key: more.mottoKey },
  access: anyone,
  sortable: true,
  filter: () => z.string(),
}
const keeping = sqliteTable('follows', {
  person: text('person').notNull(),
  followed: text('followed').notNull().references(person, { onDelete: 'restrict' }),
})
const excluded = sqliteTable('excluded', {
  person: text('person').references(person),
  followed: text('followed').references(person),
})
const inExcluded = following({
  stored: { table: excluded, owner: excluded.person, target: excluded.followed } as never,
})
const inKeeping = following({
  stored: { table: keeping, owner: keeping.person, target: keeping.followed },
})
const { revision: _, ...withoutRevision } = articles.stored

/** The columns of articles, which are as they are in its own table. */
const others = {
  id: text('article_no').primaryKey(),
  keeper: text('keeper').notNull(),
  title: text('title').notNull(),
  titleFold: text('title_fold').notNull(),
  handle: text('handle').notNull(),
  handleFold: text('handle_fold').notNull(),
  section: text('section').notNull(),
  sectionFold: text('section_fold').notNull(),
  words: integer('words'),
  layout: text('layout'),
  notes: text('notes'),
  edition: text('edition').notNull(),
}
/** Articles in a table with other columns. */
const inOther = (
  columns: Record<string, unknown>,
  further?: (table: typeof articles.stored.table & Record<string, SQLiteColumn>) => unknown[],
): ResourceDefinition => ({
  ...articles,
  stored: {
    ...articles.stored,
    table: sqliteTable('articles', columns as typeof others, further as never),
    id: sqliteTable('articles', columns as typeof others).id as never,
  },
})

/** Types that cannot be served as they are declared, by what the check says of them. */
const wrong: Readonly<Record<string, ResourceDefinition>> = {
  ...Object.fromEntries(
    ["o'clock", 'id', 'label_', 'constructor'].map((name) => [
      `${name} in articles is no name: take another one of letters and digits`,
      withAttribute(name, words),
    ]),
  ),
  'articles.words is stored as number: declare a schema of whole numbers, such as z.int()':
    withAttribute('words', { ...words, schema: () => z.number() }),
  'articles.notes is stored as sealed: declare a schema of texts, such as z.string()':
    withAttribute('notes', { ...notes, schema: () => z.int() }),
  'articles.layout is stored as json: declare a schema of objects or arrays': withAttribute(
    'layout',
    { ...layout, schema: () => z.nullable(z.string()) },
  ),
  'articles.opened is stored as date: declare a schema of z.iso.datetime()': withAttribute(
    'opened',
    { ...words, schema: () => z.iso.date(), stored: { column: more.opened } },
  ),
  'articles.opened takes times before the year 1 or after 9999: declare z.iso.datetime() without offset, with a z.refine that refuses the year 0':
    withAttribute('opened', {
      ...words,
      schema: () => z.iso.datetime(),
      stored: { column: more.opened },
    }),
  'articles.handle is unique: declare z.maxLength of 600 at most': withAttribute('handle', {
    ...articles.attributes.handle,
    schema: () => z.string(),
  }),
  'articles has two fields in words: name another column for one': withAttribute('more', words),
  'articles has no value for motto_key: declare it with a default, or without notNull': inOther({
    ...others,
    mottoKey: text('motto_key').notNull(),
  }),
  'articles has the unique index odd: declare unique for an attribute, or index': inOther(
    others,
    (table) => [uniqueIndex('odd').on(table.title as SQLiteColumn, table.words as SQLiteColumn)],
  ),
  'articles has checks in its table: write them as schemas': inOther(others, () => [
    check('small', sql`words < 3`),
  ]),
  'articles has an attribute in section, which refers to another table: declare a relationship':
    inOther({ ...others, section: text('section').references(person) }),
  'articles is found by article_no: declare it with primaryKey': inOther({
    ...others,
    id: text('article_no').notNull(),
  }),
  'counts is in a table that the service has: rename it': {
    ...tags,
    type: 'counts',
    stored: { ...tags.stored, table: sqliteTable('Counters', { id: text('slug').primaryKey() }) },
  },
  'articles has 111 columns: D1 takes 98': inOther({
    ...others,
    ...Object.fromEntries(Array.from({ length: 99 }, (_, nth) => [`n${nth}`, text(`n${nth}`)])),
  }),
  'oas is where the service has a page of its own: rename it': { ...tags, type: 'oas' },
  'people.follows: declare a primaryKey of person and followed': inKeeping,
  'people.follows has 31 members of meta: D1 takes 30': following({
    meta: Object.fromEntries(
      Array.from({ length: 31 }, (_, nth) => [
        `m${nth}`,
        { schema: () => z.string(), stored: keeping.followed },
      ]),
    ),
  }),
  'a b in people.follows is no name: take another one of letters and digits': following({
    meta: { 'a b': { schema: () => z.string(), stored: keeping.followed } },
  }),
  'articles.layout may have no value: declare layout without notNull': withAttribute('layout', {
    ...layout,
    schema: () => z.array(z.string()),
    required: true,
    stored: { column: more.layout, as: 'json' },
  }),
  'tags.label is an attribute and a relationship: rename one of them': related({
    label: neighbours,
  }),
  'tags.neighbours points to labels: add labels to the registry': related({
    neighbours: { ...neighbours, target: 'labels' },
  }),
  'tags.label is declared as a column of articles: name one of that table': withAttribute('words', {
    ...label,
    required: true,
  }),
  'tags.slug is declared as a column of tag_neighbours: name one of that table': related({
    neighbours: { ...neighbours, stored: { ...neighbours.stored, target: tags.stored.id } },
  }),
  [`articles asks for the scope article.read: write one of ${scopes}`]: withAttribute('words', {
    ...words,
    access: [{ scopes: ['article.read'] }],
  }),
  'people asks for the owner: declare stored.owner': following({
    operations: { addMany: { access: [{ owner: true }] } },
  }),
  'articles asks for the owner where it is read: take owner out, or declare it for attributes': {
    ...articles,
    operations: { ...articles.operations, list: { access: [{ owner: true }] } },
  },
  'people asks for the owner where it is read: take owner out, or declare it for attributes':
    following({ access: [{ owner: true }] }),
  'people has pages of 30 to 20: declare 1 to 255': {
    ...people,
    pagination: { by: 'cursor', size: 30, max: 20 },
  },
  'tags accepts delete: leave out snapshot': {
    ...tags,
    operations: { delete: { access: anyone } },
  },
  'tags has owners: leave out snapshot, which all callers share': {
    ...tags,
    stored: { ...tags.stored, owner: tags.stored.id },
  },
  'tags.label is sorted: leave out snapshot, which is in the order of ids': {
    ...tags,
    attributes: { label: { ...label, sortable: true } },
  },
  'tags.readers points to people: declare snapshot for both types': related({
    readers: people.relationships.follows,
  }),
  'articles.motto is sorted by its letters: declare stored.key': withAttribute('motto', {
    ...motto,
    stored: { column: more.motto },
  }),
  'articles.words is sorted: declare words with notNull': withAttribute('words', {
    ...words,
    sortable: true,
  }),
  'articles.size is no text, and has no letters: leave out stored.key': withAttribute('size', {
    ...words,
    stored: { column: more.size, key: more.mottoKey },
  }),
  'articles.motto is unique: declare motto with notNull': withAttribute('motto', {
    ...motto,
    stored: { ...motto.stored, unique: true },
  }),
  'articles.section is unique: declare a uniqueIndex on section_fold': withAttribute('section', {
    ...section,
    stored: { ...section.stored, unique: true },
  }),
  'articles.notes is stored as sealed: leave out sortable and filter': withAttribute('notes', {
    ...notes,
    sortable: true,
  }),
  'articles.layout is stored as json: leave out sortable and filter': withAttribute('layout', {
    ...layout,
    filter: () => z.string(),
  }),
  'articles.section may have no value: declare section without notNull': withAttribute('section', {
    ...section,
    required: undefined,
  }),
  'articles.section is set by the server: declare section with $defaultFn': setByServer,
  'articles.section is set by the server: leave out required': setByServer,
  'articles.layout is set by the server to "[]": let $defaultFn of layout make what its schema accepts':
    withAttribute('layout', {
      ...{ readOnly: true, schema: () => z.strictObject({}), access: anyone },
      ...{ stored: { column: more.layout, as: 'json' } },
    }),
  'articles.handle is unique, and the server would set a value twice: leave out unique':
    withAttribute('handle', { ...articles.attributes.handle, readOnly: true }),
  'articles.title may have no value: declare title without notNull': withAttribute('title', {
    ...title,
    schema: () => z.nullable(z.string()),
  }),
  'articles accepts create: declare stored.revision': { ...articles, stored: withoutRevision },
  'articles is deleted along with people: declare set null': inTable(
    text('author').references(person, { onDelete: 'cascade' }),
  ),
  'articles would keep people from being deleted: declare author with cascade, or nullable with set null':
    inTable(text('author').notNull().references(person, { onDelete: 'set null' })),
  'people.follows would keep people from being deleted: declare followed with cascade, or nullable with set null':
    inKeeping,
  'people.follows: declare person with references of people': inKeeping,
  'articles.made is computed: declare readOnly': computedOf(
    { title: table.title },
    { readOnly: undefined },
  ),
  'articles.made is computed: leave out required, sortable and filter': computedOf(
    { title: table.title },
    { sortable: true },
  ),
  'articles.made is computed of 0 columns: name 1 to 32': computedOf({}, {}),
  'articles.made is computed of notes, which is sealed: name another column': computedOf(
    { notes: table.notes },
    {},
  ),
  'tags.slug is declared as a column of articles: name one of that table': computedOf(
    { slug: tags.stored.id },
    {},
  ),
  'people.follows is in a table called excluded: rename it': inExcluded,
  'folders has a filter from-: take a name of letters, digits and dots': filtered('from-'),
  'folders has a filter and a field begun: rename one of them': filtered('begun'),
  'folders has a filter from of another table: name target': filtered(
    'from',
    folders,
    anyone,
    table,
  ),
  [`folders asks for the scope nobody: write one of ${scopes}`]: filtered('from', folders, [
    { scopes: ['nobody'] },
  ]),
  'folders asks for the owner where it is read: take owner out, or declare it for attributes':
    filtered('from', folders, [{ owner: true }]),
  'folders has a filter from with like, which D1 takes in short: declare z.maxLength of 16 at most':
    byCondition(({ id }, text) => like(id, `${text}%`)),
  'folders has a filter from with like, which reads a backslash in two ways: declare a z.regex without it':
    byCondition(
      ({ id }, text) => like(id, `${text}%`),
      () => z.string().check(z.maxLength(16)),
    ),
  'folders has a filter from that compares Size with a string: write an operator such as gte, with Number(text)':
    byCondition(({ size, name }, text) => sql`${name} > ${text} and ${size} >= ${text}`),
  "folders has a filter from that compares c0 with a number: write an operator such as gte, with text === 'true'":
    byCondition(({ closed }, text) => gte(closed, Number(text.length) as never)),
  'folders has a filter from that compares table with a date outside of an operator: write an operator such as gte, with new Date(text)':
    byCondition(({ begun }, text) => sql`${begun} >= ${new Date(text)}`),
  'folders has a filter from that fails for "a" (SyntaxError: Cannot convert a to a BigInt): declare a schema that refuses it':
    byCondition(({ size }, text) => gte(size, Number(BigInt(text)))),
  [`folders is read by statements of up to ${largest.bytes} bytes, and D1 takes 100000: declare fewer attributes, relationships or sorts, or shorter names of columns`]:
    wide,
  [`folders is read in up to ${largest.columns} columns, and D1 takes 100: declare fewer attributes, relationships or sorts`]:
    wide,
  ...Object.fromEntries(
    ['a"b', 'a`b', 'n'.repeat(64), 'é'.repeat(32)].map((name) => [
      `${name} is no name in articles: take one of at most 63 bytes, without double quotes and backquotes`,
      inOther({ ...others, more: text(name) }),
    ]),
  ),
  'tags has filters of its own: leave out snapshot': filtered('from', tags),
  'articles.author: declare section with references of people': byAuthor(table.section),
  'articles.author may be empty: declare section without notNull': byAuthor(table.section),
}

describe('the check of declarations', () => {
  it('accepts the second domain and this service as they are', () => {
    expect(problemsWith(tags)).toEqual([])
    expect(problemsIn(registry, Object.keys(about.scopes))).toEqual([])
  })

  it.each(Object.entries(wrong))('says "%s"', (problem, changed) => {
    expect(problemsWith(changed)).toContain(problem)
  })

  it('says what is wrong of each type, all at once', () => {
    const twice = 'tags is declared twice: rename one of them, or take it out of the registry'
    expect(problemsIn(createRegistry([tags, tags]), scopes)).toEqual([twice, twice])
    expect(problemsWith(related({ label: { ...neighbours, target: 'labels' } }))).toHaveLength(2)
  })

  it('accepts a sort by a text that may be missing, whose letters have a column', () => {
    expect(problemsWith(withAttribute('motto', motto))).toEqual([])
  })
})
