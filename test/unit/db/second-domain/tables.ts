import { index, integer, primaryKey, table, text, uniqueIndex } from '#columns'

/** Tags: small reference data. */
export const tags = table('tags', {
  id: text('slug').primaryKey(),
  label: text('label').notNull(),
  kind: text('kind').notNull(),
})

/** Which tags stand near which, and how near. */
export const tagNeighbours = table(
  'tag_neighbours',
  {
    tag: text('tag')
      .notNull()
      .references(() => tags.id, { onDelete: 'cascade' }),
    neighbour: text('neighbour')
      .notNull()
      .references(() => tags.id, { onDelete: 'cascade' }),
    weight: text('weight').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tag, table.neighbour] })],
)

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
  {
    follower: text('follower')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    followed: text('followed')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.follower, table.followed] })],
)

/** Articles: `*_fold` columns are compared and sorted, `notes` is ciphertext, `layout` JSON. */
export const articles = table(
  'articles',
  {
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
  },
  (table) => [
    uniqueIndex('articles_handle').on(table.handleFold),
    index('articles_keeper').on(table.keeper),
  ],
)

/** Who contributed to which article, and which part. */
export const contributions = table(
  'contributions',
  {
    article: text('article')
      .notNull()
      .references(() => articles.id, { onDelete: 'cascade' }),
    person: text('person')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    part: text('part').notNull(),
  },
  (table) => [primaryKey({ columns: [table.article, table.person] })],
)

/** The tags of articles. */
export const articleTags = table(
  'article_tags',
  {
    article: text('article')
      .notNull()
      .references(() => articles.id, { onDelete: 'cascade' }),
    tag: text('tag')
      .notNull()
      .references(() => tags.id),
  },
  (table) => [primaryKey({ columns: [table.article, table.tag] })],
)
