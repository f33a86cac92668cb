import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Tags: small reference data. */
export const tags = sqliteTable('tags', {
  id: text('slug').primaryKey(),
  label: text('label').notNull(),
  kind: text('kind').notNull(),
})

/** Which tags stand near which, and how near. */
export const tagNeighbours = sqliteTable('tag_neighbours', {
  tag: text('tag').notNull(),
  neighbour: text('neighbour').notNull(),
  weight: text('weight').notNull(),
})

/** People, whom nobody owns. */
export const people = sqliteTable('people', {
  id: text('person_no').primaryKey(),
  nickname: text('nickname').notNull(),
  born: integer('born').notNull(),
  favourite: text('favourite'),
  state: text('state').notNull().default('first'),
})

/** Who follows whom. */
export const follows = sqliteTable('follows', {
  follower: text('follower').notNull(),
  followed: text('followed').notNull(),
})

/** Articles: `*_fold` columns are compared and sorted, `notes` is ciphertext, `layout` JSON. */
export const articles = sqliteTable('articles', {
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

/** Who contributed to which article, and which part. */
export const contributions = sqliteTable('contributions', {
  article: text('article').notNull(),
  person: text('person').notNull(),
  part: text('part').notNull(),
})

/** The tags of articles. */
export const articleTags = sqliteTable('article_tags', {
  article: text('article').notNull(),
  tag: text('tag').notNull(),
})
