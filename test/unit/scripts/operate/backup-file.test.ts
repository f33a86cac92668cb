import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { markOf, readBackup } from '../../../../scripts/operate/backup-file.ts'
import { differences } from '../../../../scripts/operate/database.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-file-'))
})
afterAll(() => rm(folder, { recursive: true }))

const rows = { notes: 4, tags: 1 }

/** As an export has it: tables with their rows, one of which holds what looks like the end of a statement, and of a backup. */
const sql = `PRAGMA defer_foreign_keys=TRUE;
CREATE TABLE "tags" (id TEXT PRIMARY KEY);
INSERT INTO "tags" VALUES('a');
CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT, tag TEXT REFERENCES tags(id));
INSERT INTO "notes" VALUES('1','it''s; "quoted"','a');
INSERT INTO "notes" VALUES('2','one;
INSERT INTO "notes" VALUES(''3'', ''no row'');
${markOf({ notes: 9 })}',NULL);
INSERT INTO "notes" VALUES('4','-- no comment',NULL), ('5','two rows in one statement','a');
CREATE INDEX by_tag ON notes (tag);
CREATE TRIGGER counted AFTER INSERT ON notes
BEGIN
	UPDATE tags SET id = id;
	DELETE FROM notes WHERE id = 'never';
END;`

/** Reads a backup with this content. */
async function read(content: string) {
  const file = join(folder, 'backup.sql')
  await writeFile(file, content)
  return readBackup(file)
}

it('A backup holds the rows that restoring it makes, whatever stands in its texts, and its mark names them', async () => {
  expect(await read(sql + markOf(rows))).toEqual({
    rows,
    objects: ['table tags', 'table notes', 'index by_tag', 'trigger counted'],
    mark: rows,
  })
})

it('A backup that is cut off anywhere has no mark', async () => {
  const whole = sql + markOf(rows)
  const seen: unknown[] = []
  // The mark is whole without the end of its line.
  for (let length = 0; length < whole.length - 1; length++) {
    const contents = await read(whole.slice(0, length)).catch(() => 'no SQL')
    seen.push(typeof contents === 'string' ? undefined : contents.mark)
  }
  expect(seen).toHaveLength(whole.length - 1)
  expect(new Set(seen)).toEqual(new Set([undefined]))
})

it.each([
  ['goes on behind its mark', `${sql}${markOf(rows)}SELECT 1;`],
  ['has a mark that is no list of tables', `${sql}\n-- The backup ends here. Rows by table: many`],
])('A backup that %s has none', async (_, content) => {
  expect((await read(content)).mark).toBeUndefined()
})

it.each([
  ['ends within a statement', 'CREATE TABLE a (x);\nINSERT INTO a VALUES (1', 'incomplete input'],
  ['is no SQL', 'CREATE TABLE a (x);\nhello;\n', 'syntax error'],
  [
    'refers to rows that it lacks',
    'CREATE TABLE a (x REFERENCES a(x) UNIQUE, y REFERENCES a(x));\nINSERT INTO a VALUES (NULL, 1);\n',
    'FOREIGN KEY constraint failed',
  ],
  [
    'has a longer statement than D1 takes',
    `SELECT '${`${'a'.repeat(1_000)};\n`.repeat(120)}';`,
    'unrecognized',
  ],
  ['wants another file of this machine', "ATTACH DATABASE 'other.db' AS other;", 'not authorized'],
])('A file that %s is no backup, and the complaint says why', async (_, content, why) => {
  const reading = read(content)
  await expect(reading).rejects.toThrow(why)
  await expect(reading).rejects.toMatchObject({ name: 'Complaint' })
  expect(existsSync('other.db')).toBe(false)
})

it('Rows that differ from those that should be there are told table by table', () => {
  expect(differences({ users: 5, new: 0 }, { users: 46, counters: 1 })).toBe(
    '5 in users instead of 46, none in counters instead of 1, 0 in new instead of none',
  )
  expect(differences(rows, { ...rows })).toBe('')
})
