import { gte, like, type SQL, sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  type SQLiteColumn,
  type SQLiteTable,
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
import { anyone, type ResourceDefinition } from '../../../../src/jsonapi/declare/resource.ts'
import { about, registry } from '../../../../src/resources/index.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { folders, folderTable } from '../../db/second-domain/folders.ts'
import { people } from '../../db/second-domain/people.ts'
import { articleColumns, articles as articleTable } from '../../db/second-domain/tables.ts'
import { tags } from '../../db/second-domain/tags.ts'

const scopes = ['articles.read', 'articles.write', 'articles.admin', 'people.write', 'things.read']

/** What the check says of the second domain with one of its types declared in another way. */
function problemsWith(changed: ResourceDefinition): string[] {
  const others = [articles, people, tags, folders].filter(({ type }) => type !== changed.type)
  return problemsIn(createRegistry([changed, ...others]), scopes)
}

type Parts = Readonly<Record<string, unknown>>
const isPlain = (value: unknown): value is Parts =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Something declared in another way: other parts in place of some, at any depth. */
function merge(declared: unknown, changes: unknown): unknown {
  if (!isPlain(declared) || !isPlain(changes)) {
    return changes
  }
  const merged = Object.entries(changes).map(([name, part]) => [name, merge(declared[name], part)])
  return { ...declared, ...Object.fromEntries(merged) }
}
const change = (declared: ResourceDefinition, changes: Parts) =>
  merge(declared, changes) as ResourceDefinition

/** Articles with another attribute. */
const attribute = (name: string, changes: object) =>
  change(articles, { attributes: { [name]: changes } })
/** Articles with another relationship beside `tags`, or in its place. */
const related = (name: string, changes: object = {}) =>
  change(articles, { relationships: { [name]: { ...articles.relationships.tags, ...changes } } })
/** People who follow others in another way. */
const following = (changes: object) => change(people, { relationships: { follows: changes } })
/** People who follow others by another table. */
const followingBy = (table: SQLiteTable & Record<'person' | 'followed', SQLiteColumn>) =>
  following({ stored: { table, owner: table.person, target: table.followed } })
/** Articles whose author is in another column. */
const byAuthor = (stored: SQLiteColumn) =>
  change(articles, { relationships: { author: { stored } } })
/** Articles in a table with other columns. */
const inOther = (columns: object, further?: (table: typeof articleTable) => unknown[]) => {
  const all = { ...articleColumns(), ...columns }
  const table = sqliteTable('articles', all, further as never)
  return change(articles, { stored: { table, id: table.id } })
}
/** Articles with a computed attribute. */
const computedOf = (columns: Parameters<typeof computed>[0], changes: object = {}) =>
  attribute('made', {
    ...{ schema: () => z.string(), readOnly: true, access: anyone },
    ...{ stored: computed(columns, () => 'made'), ...changes },
  })
/** Folders with a filter that is no attribute. */
const filtered = (name: string, changes: object = {}, of: ResourceDefinition = folders) =>
  change(of, {
    filters: {
      [name]: {
        ...{ description: 'Some.', schema: () => z.string(), access: anyone },
        ...{ stored: filterBy(of.stored.table, () => sql`true`), ...changes },
      },
    },
  })
/** Folders with a filter of a condition. */
const byCondition = (
  condition: (table: typeof folderTable, text: string) => SQL,
  schema = () => z.string(),
) => filtered('from', { schema, stored: filterBy(folderTable, condition) })
/** So many parts, each with a name of its own. */
const many = <Part>(count: number, make: (name: string) => Part) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`n${nth}`, make(`n${nth}`)]))

const { label } = tags.attributes
const { words = {}, handle } = articles.attributes
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
const motto = {
  ...{ schema: () => z.nullable(z.string()), filter: () => z.string(), access: anyone },
  ...{ stored: { column: more.motto, key: more.mottoKey }, sortable: true },
}
const opened = { ...words, stored: { column: more.opened } }
const setByServer = attribute('section', { readOnly: true })
const keeping = sqliteTable(
  'follows',
  {
    person: text('person').notNull(),
    followed: text('followed').notNull().references(person, { onDelete: 'restrict' }),
    since: text('since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.person, table.followed, table.since] })],
)
const excluded = sqliteTable('excluded', {
  person: text('person').references(person),
  followed: text('followed').references(person),
})
/** Folders with many computed attributes. */
const wide = change(folders, {
  attributes: many(99, () => ({
    ...{ schema: () => z.string(), readOnly: true, access: anyone },
    stored: computed(Object.fromEntries(Object.entries(folderTable).slice(0, 30)), () => ''),
  })),
})
const largest = largestRead(createRegistry([wide]), wide)
const ownerReads =
  'asks for the owner where it is read: take owner out, or declare it for attributes'

/** Types that cannot be served as they are declared, by what the check says of them. */
const wrong: Readonly<Record<string, ResourceDefinition>> = {
  ...Object.fromEntries(
    ["o'clock", 'id', 'label_', 'constructor'].map((name) => [
      `${name} in articles is no name: take another one of letters and digits`,
      change(articles, { attributes: { ...articles.attributes, [name]: words } }),
    ]),
  ),
  'articles.words is stored as number: declare a schema of whole numbers, such as z.int()':
    attribute('words', { schema: () => z.number() }),
  'articles.notes is stored as sealed: declare a schema of texts, such as z.string()': attribute(
    'notes',
    { schema: () => z.int() },
  ),
  'articles.layout is stored as json: declare a schema of objects or arrays': attribute('layout', {
    schema: () => z.nullable(z.string()),
  }),
  'articles.opened is stored as date: declare a schema of z.iso.datetime()': attribute('opened', {
    ...opened,
    schema: () => z.iso.date(),
  }),
  'articles.opened takes times before the year 1 or after 9999: declare z.iso.datetime() without offset, with a z.refine that refuses the year 0':
    attribute('opened', { ...opened, schema: () => z.iso.datetime() }),
  'articles.handle is unique: declare z.maxLength of 600 at most': attribute('handle', {
    schema: () => z.string(),
  }),
  'articles has two fields in words: name another column for one': attribute('more', words),
  'articles has no value for motto_key: declare it with a default, or without notNull': inOther({
    mottoKey: text('motto_key').notNull(),
  }),
  'articles has the unique index odd: declare unique for an attribute, or index': inOther(
    {},
    (table) => [uniqueIndex('odd').on(table.title, table.words)],
  ),
  'articles has checks in its table: write them as schemas': inOther({}, () => [
    check('small', sql`words < 3`),
  ]),
  'articles has an attribute in section, which refers to another table: declare a relationship':
    inOther({ section: text('section').references(person) }),
  'articles is found by article_no: declare it with primaryKey': inOther({
    id: text('article_no').notNull(),
  }),
  'Counters is a table of the service itself: rename it': change(tags, {
    ...{ type: 'counts' },
    stored: { table: sqliteTable('Counters', { id: text('slug').primaryKey() }) },
  }),
  'articles has 112 columns: D1 takes 98': inOther(many(99, (name) => text(name))),
  'oas is where the service has a page of its own: rename it': change(tags, { type: 'oas' }),
  'people.follows: declare a primaryKey of person and followed': followingBy(keeping),
  'people.follows has no value for since: declare it with a default, or without notNull':
    followingBy(keeping),
  'people.follows has 31 members of meta: D1 takes 30': following({
    meta: many(31, () => ({ schema: () => z.string(), stored: keeping.followed })),
  }),
  'a b in people.follows is no name: take another one of letters and digits': following({
    meta: { 'a b': { schema: () => z.string(), stored: keeping.followed } },
  }),
  'articles.layout may have no value: declare layout without notNull': attribute('layout', {
    ...{ schema: () => z.array(z.string()), required: true, stored: { column: more.layout } },
  }),
  'articles.title is an attribute and a relationship: rename one of them': related('title'),
  'articles.tags points to labels: add labels to the registry': related('tags', {
    target: 'labels',
  }),
  'tags.label is declared as a column of articles: name one of that table': attribute('words', {
    ...{ ...label, required: true },
  }),
  'tags.slug is declared as a column of article_tags: name one of that table': change(articles, {
    relationships: { tags: { stored: { target: tags.stored.id } } },
  }),
  [`articles asks for the scope article.read: write one of ${scopes}`]: attribute('words', {
    access: [{ scopes: ['article.read'] }],
  }),
  'people asks for the owner: declare stored.owner': following({
    operations: { addMany: { access: [{ owner: true }] } },
  }),
  [`articles ${ownerReads}`]: change(articles, {
    operations: { list: { access: [{ owner: true }] } },
  }),
  [`people ${ownerReads}`]: following({ access: [{ owner: true }] }),
  'people has pages of 30 to 20: declare 1 to 255': change(people, {
    pagination: { by: 'cursor', size: 30, max: 20 },
  }),
  'tags accepts delete: leave out snapshot': change(tags, {
    operations: { delete: { access: anyone } },
  }),
  'tags has owners: leave out snapshot, which all callers share': change(tags, {
    stored: { owner: tags.stored.id },
  }),
  'tags.label is sorted: leave out snapshot, which is in the order of ids': change(tags, {
    attributes: { label: { sortable: true } },
  }),
  'tags.readers points to people: declare snapshot for both types': change(tags, {
    relationships: { readers: people.relationships.follows },
  }),
  'articles.motto is sorted by its letters: declare stored.key': attribute('motto', {
    ...motto,
    stored: { column: more.motto },
  }),
  'articles.words is sorted: declare words with notNull': attribute('words', { sortable: true }),
  'articles.size is no text, and has no letters: leave out stored.key': attribute('size', {
    ...words,
    stored: { column: more.size, key: more.mottoKey },
  }),
  'articles.motto is unique: declare motto with notNull': attribute('motto', {
    ...motto,
    stored: { ...motto.stored, unique: true },
  }),
  'articles.section is unique: declare a uniqueIndex on section_fold': change(
    inOther({}, (table) => [index('sections').on(table.sectionFold)]),
    { attributes: { section: { stored: { unique: true } } } },
  ),
  'articles.notes is stored as sealed: leave out sortable and filter': attribute('notes', {
    sortable: true,
  }),
  'articles.layout is stored as json: leave out sortable and filter': attribute('layout', {
    filter: () => z.string(),
  }),
  'articles.section may have no value: declare section without notNull': attribute('section', {
    required: undefined,
  }),
  'articles.section is set by the server: declare section with $defaultFn': setByServer,
  'articles.section is set by the server: leave out required': setByServer,
  'articles.layout is set by the server to "[]": let $defaultFn of layout make what its schema accepts':
    attribute('layout', {
      ...{ readOnly: true, schema: () => z.strictObject({}), stored: { column: more.layout } },
    }),
  'articles.handle is unique, and the server would set a value twice: leave out unique': attribute(
    'handle',
    { ...handle, readOnly: true },
  ),
  'articles.title may have no value: declare title without notNull': attribute('title', {
    schema: () => z.nullable(z.string()),
  }),
  'articles accepts create: declare stored.revision': change(articles, {
    stored: { revision: undefined },
  }),
  'articles is deleted along with people: declare set null': inOther({
    author: text('author').references(person, { onDelete: 'cascade' }),
  }),
  'articles would keep people from being deleted: declare author with cascade, or nullable with set null':
    inOther({ author: text('author').notNull().references(person, { onDelete: 'set null' }) }),
  'people.follows would keep people from being deleted: declare followed with cascade, or nullable with set null':
    followingBy(keeping),
  'people.follows: declare person with references of people': followingBy(keeping),
  'articles.made is computed: declare readOnly': computedOf(
    { words: articleTable.words },
    { readOnly: undefined },
  ),
  'articles.made is computed: leave out required, sortable and filter': computedOf(
    { words: articleTable.words },
    { sortable: true },
  ),
  'articles.made is computed of 0 columns: name 1 to 32': computedOf({}),
  'articles.made is computed of notes, which is sealed: name another column': computedOf({
    notes: articleTable.notes,
  }),
  'tags.slug is declared as a column of articles: name one of that table': computedOf({
    slug: tags.stored.id,
  }),
  'excluded is a table of the service itself: rename it': followingBy(excluded),
  'folders has a filter from-: take a name of letters, digits and dots': filtered('from-'),
  'folders has a filter and a field begun: rename one of them': filtered('begun'),
  'folders has a filter from of another table: name target': filtered('from', {
    stored: filterBy(articleTable, () => sql`true`),
  }),
  [`folders asks for the scope nobody: write one of ${scopes}`]: filtered('from', {
    access: [{ scopes: ['nobody'] }],
  }),
  [`folders ${ownerReads}`]: filtered('from', { access: [{ owner: true }] }),
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
      inOther({ more: text(name) }),
    ]),
  ),
  'tags has filters of its own: leave out snapshot': filtered('from', {}, tags),
  'articles.author: declare section with references of people': byAuthor(articleTable.section),
  'articles.author may be empty: declare section without notNull': byAuthor(articleTable.section),
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
    expect(problemsWith(related('title', { target: 'labels' }))).toHaveLength(2)
  })

  it('accepts a sort by a text that may be missing, whose letters have a column', () => {
    expect(problemsWith(attribute('motto', motto))).toEqual([])
  })
})
