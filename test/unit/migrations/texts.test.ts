import { describe, expect, it } from 'vitest'
import { migrations } from './database.ts'

/** Comments, strings and quoted names. */
const quiet = /--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/gs

/**
 * What the platform does not take in a migration, though SQLite does: `wrangler d1 migrations apply --remote` posts the text to an
 * endpoint that splits it at semicolons.
 */
function faultsOf(sql: string): string[] {
  const code = sql.replaceAll(quiet, (text) => ' '.repeat(Buffer.byteLength(text)))
  const faults = {
    'a statement above 100 KB': code.split(';').some((text) => Buffer.byteLength(text) > 100_000),
    'a semicolon inside a string or comment': sql.match(quiet)?.some((text) => text.includes(';')),
    'a trigger or a transaction': /\bBEGIN\b/i.test(code),
    'a carriage return': sql.includes('\r'),
  }
  return Object.entries(faults).flatMap(([name, isThere]) => (isThere ? [name] : []))
}

describe('a migration is a text that the platform takes', () => {
  it.each(migrations)('$name', ({ sql }) => {
    expect(faultsOf(sql)).toEqual([])
  })

  it.each([
    ['CREATE TRIGGER x AFTER INSERT ON t begin SELECT 1; END;', 'a trigger or a transaction'],
    ["INSERT INTO t VALUES ('a'';b');", 'a semicolon inside a string or comment'],
    ['-- first; then\nSELECT 1;', 'a semicolon inside a string or comment'],
    ['SELECT 1;\r\n', 'a carriage return'],
    [`SELECT 1;\nSELECT '${'é'.repeat(50_000)}';`, 'a statement above 100 KB'],
  ])('unlike %.60j', (sql, fault) => {
    expect(faultsOf(sql)).toEqual([fault])
  })
})
