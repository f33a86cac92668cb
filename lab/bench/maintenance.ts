import type { MeteredDatabase } from './data/database.ts'
import { personId } from './data/people.ts'

/** A piece of work on the database itself, past the service. */
export interface Work {
  readonly title: string
  readonly read: number
  readonly written: number
  /** Milliseconds of all statements together, and of the longest one, during which the database does nothing else. */
  readonly ms: number
  readonly longestMs: number
}

/** Users whose new column one statement fills. */
const step = 5_000

/**
 * What operators do with a database of so many people (docs/operations.md, "Migrations" and "A person's data"): a migration that adds
 * a column, its key filled in step by step, an index on it, and the erasure of a person by their subject.
 *
 * @param nth the person who is erased
 */
export async function maintenance(
  db: MeteredDatabase,
  people: number,
  nth: number,
): Promise<Work[]> {
  const fill = Array.from({ length: Math.ceil(people / step) }, (_, index) => ({
    sql: 'UPDATE users SET nickname_key = lower(email) WHERE id >= ?1 AND id < ?2',
    values: [personId(index * step), personId((index + 1) * step)],
  }))
  const mine = '(SELECT id FROM users WHERE owner = ?1)'
  const erasure = [
    'SELECT * FROM users WHERE owner = ?1',
    ...['user_citizenships', 'user_relatives'].map(
      (table) => `SELECT * FROM ${table} WHERE user_id IN ${mine}`,
    ),
    `SELECT * FROM user_relatives WHERE relative_id IN ${mine}`,
    "UPDATE counters SET value = value - (SELECT count(*) FROM users WHERE owner = ?1) WHERE name = 'users'",
    `DELETE FROM users WHERE id IN ${mine}`,
  ].map((sql) => ({ sql, values: [`person-${nth}`] }))
  const works = {
    'A migration that adds a column': [
      { sql: 'ALTER TABLE users ADD COLUMN nickname_key TEXT', values: [] },
    ],
    [`Its key filled in, ${step.toLocaleString('en')} users a statement`]: fill,
    'An index on it': [
      { sql: 'CREATE INDEX users_nickname ON users (nickname_key, id)', values: [] },
    ],
    'The erasure of a person': erasure,
  }
  const done: Work[] = []
  for (const [title, statements] of Object.entries(works)) {
    let [read, written, ms, longestMs] = [0, 0, 0, 0]
    for (const { sql, values } of statements) {
      const start = performance.now()
      const { meta } = await db
        .prepare(sql)
        .bind(...values)
        .run()
      const took = performance.now() - start
      read += meta.rows_read
      written += meta.rows_written
      ms += took
      longestMs = Math.max(longestMs, took)
    }
    done.push({ title, read, written, ms, longestMs })
  }
  return done
}
