import { describe, expect, it } from 'vitest'
import { migrations } from './database.ts'

/** The most bytes of one statement that D1 takes. */
const longest = 100_000

/** Comments, strings and quoted names, semicolons, words, and anything else one character at a time. */
const tokens =
  /(?<quiet>--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<end>;)|\w+|./gs

/**
 * What the platform does not take in the text of a migration, though SQLite does: `wrangler d1 migrations apply --remote` posts the
 * whole text to an endpoint that splits it at semicolons, inside the body of a trigger too.
 */
function faultsOf(sql: string): string[] {
  const faults = new Set<string>()
  let [code, bytes] = ['', 0]
  for (const { 0: token, groups } of sql.matchAll(tokens)) {
    bytes = groups?.end === undefined ? bytes + Buffer.byteLength(token) : 0
    if (bytes > longest) {
      faults.add('a statement above 100 KB')
    }
    if (groups?.quiet?.includes(';')) {
      faults.add('a semicolon inside a string or comment')
    }
    code += groups?.quiet === undefined ? token : ' '
  }
  if (/\bCREATE\s+(TEMP\s+|TEMPORARY\s+)?TRIGGER\b/i.test(code)) {
    faults.add('CREATE TRIGGER')
  }
  if (/\bBEGIN\b/i.test(code)) {
    faults.add('BEGIN')
  }
  if (sql.includes('\r')) {
    faults.add('a carriage return')
  }
  return [...faults]
}

describe('a migration is a text that the platform takes', () => {
  it.each(migrations)('$name', ({ sql }) => {
    expect(faultsOf(sql)).toEqual([])
  })

  const body = 'AFTER INSERT ON t BEGIN SELECT 1; END;'
  it.each<[string, faults: string[]]>([
    [`CREATE TRIGGER x ${body}`, ['CREATE TRIGGER', 'BEGIN']],
    ['begin; DELETE FROM t; COMMIT;', ['BEGIN']],
    ["INSERT INTO t VALUES ('a'';b');", ['a semicolon inside a string or comment']],
    ['SELECT "a;b";', ['a semicolon inside a string or comment']],
    ['-- first; then\nSELECT 1;', ['a semicolon inside a string or comment']],
    ['SELECT 1;\r\n', ['a carriage return']],
    [`SELECT 1;\nSELECT '${'é'.repeat(longest / 2)}';`, ['a statement above 100 KB']],
  ])('unlike %.60j', (sql, faults) => {
    expect(faultsOf(sql)).toEqual(faults)
  })
})
