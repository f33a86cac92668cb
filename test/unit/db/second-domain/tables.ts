import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { index, integer, primaryKey, table, text, uniqueIndex } from '#columns'

/** A column of the members of a relationship, which go with what they name. */
export const refers = (name: string, to: () => AnySQLiteColumn) =>
  text(name).notNull().references(to, { onDelete: 'cascade' })

/** Tags: small reference data. */
export const tags = table('tags', {
  id: text('slug').primaryKey(),
  label: text('label').notNull(),
  kind: text('kind').notNull(),
})

/** People, whom nobody owns. */
export const people = table('people', {
  id: text('person_no').primaryKey(),
  nickname: text('nickname').notNull(),
  born: integer('born').notNull(),
  favourite: text('favourite').references(() => tags.id),
  state: text('state').notNull().default('first'),
})

/** Who follows whom. */
export const follows = table(
  'follows',
  { follower: refers('follower', () => people.id), followed: refers('followed', () => people.id) },
  ({ follower, followed }) => [primaryKey({ columns: [follower, followed] })],
)

/** The columns of articles: `*_fold` are compared and sorted, `notes` is ciphertext, `layout` JSON. */
export const articleColumns = () => ({
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
  author: text('author').references(() => people.id, { onDelete: 'set null' }),
  edition: text('edition').notNull().default('0'),
})

/** Articles, each of one keeper. */
export const articles = table('articles', articleColumns(), (table) => [
  uniqueIndex('articles_handle').on(table.handleFold),
  index('articles_keeper').on(table.keeper),
])

/** Who contributed to which article, and which part. */
export const contributions = table(
  'contributions',
  {
    article: refers('article', () => articles.id),
    person: refers('person', () => people.id),
    part: text('part').notNull(),
  },
  ({ article, person }) => [primaryKey({ columns: [article, person] })],
)

/** The tags of articles. */
export const articleTags = table(
  'article_tags',
  { article: refers('article', () => articles.id), tag: refers('tag', () => tags.id) },
  ({ article, tag }) => [primaryKey({ columns: [article, tag] })],
)
