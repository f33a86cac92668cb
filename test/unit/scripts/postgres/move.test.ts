import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Row, Summing } from '../../../../scripts/postgres/move/checksum.ts'
import { type CopyOptions, copy } from '../../../../scripts/postgres/move/copy.ts'
import { d1At } from '../../../../scripts/postgres/move/databases.ts'
import { tablesOf } from '../../../../scripts/postgres/move/tables.ts'
import { migratedDatabase, rowsOf } from '../../migrations/database.ts'

const people = 7

/** A database with people, their links and a key; the last one is related to nobody. */
function filled(): DatabaseSync {
  const database = migratedDatabase()
  for (let nth = 0; nth < people; nth++) {
    database.exec(`INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, card, addresses, place_of_birth, revision)
      VALUES ('p${nth}', 'o', 'Åse O''Neill ${nth}', 'ase', '${nth}@x', '${nth}@x', ${nth === 1 ? 'NULL' : "'k1.x'"}, '[]', 'NO', 'r${nth}');
      INSERT INTO user_citizenships VALUES ('p${nth}', 'SE'), ('p${nth}', 'NO')`)
  }
  database.exec(`INSERT INTO user_relatives SELECT a.id, b.id, 'SON' FROM users a, users b WHERE a.id < b.id;
    INSERT INTO idempotency_keys VALUES ('n', 'f', 'p1,p2', 1790000000000);
    UPDATE counters SET value = 99`)
  return database
}

const endOf = (database: DatabaseSync) =>
  d1At({
    ask: async (statements) => statements.map((sql) => rowsOf(database, sql) as never),
    run: async (statements) => database.exec(statements.join(';\n')),
  })

let source: DatabaseSync
let target: DatabaseSync
let lines: string[]

const copied = (options: Partial<CopyOptions> = {}, from = endOf(source), to = endOf(target)) =>
  copy(from, to, {
    empties: false,
    print: (line) => lines.push(line),
    pageSize: 3,
    ...options,
  })

/** A copy during which something happens, once all rows are copied and before they are compared. */
function copiedWith(happening: () => void) {
  const { replace, ...to } = endOf(target)
  return copied(undefined, endOf(source), {
    ...to,
    replace: (tables, fill) =>
      replace(tables, (filling) =>
        fill({
          ...filling,
          async settle() {
            await filling.settle()
            happening()
          },
        }),
      ),
  })
}

beforeEach(() => {
  source = filled()
  target = migratedDatabase()
  lines = []
})

describe('The tables that are moved', () => {
  it('are all that the migrations make, but for the counters, each after those that it refers to', () => {
    const names = tablesOf().map(({ name }) => name)
    const made = rowsOf(
      source,
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'counters'",
    )
    expect(names.toSorted()).toEqual(made.map(({ name }) => String(name)).toSorted())
    for (const [nth, name] of names.entries()) {
      const others = rowsOf(source, `PRAGMA foreign_key_list(${name})`).map(({ table }) => table)
      expect(names.slice(0, nth + 1)).toEqual(expect.arrayContaining(others))
    }
  })

  it('have all columns that the migrations make', () => {
    for (const { name, columns } of tablesOf()) {
      const made = rowsOf(source, `PRAGMA table_info(${name})`).map((column) => column.name)
      expect(columns.map((column) => column.name).toSorted()).toEqual(made.toSorted())
    }
  })
})

describe('A copy', () => {
  it('holds every row, over several pages, and counts users anew', async () => {
    const sums = await copied()
    for (const { name } of tablesOf()) {
      const all = `SELECT * FROM ${name} ORDER BY 1, 2`
      expect(rowsOf(target, all)).toEqual(rowsOf(source, all))
    }
    expect(rowsOf(target, 'SELECT * FROM counters')).toEqual([{ name: 'users', value: people }])
    expect(sums.get('user_relatives')?.rows).toBe((people * (people - 1)) / 2)
  })

  it('asks a database once for all that is small, and reads on where a table is large', async () => {
    let calls = 0
    const { ask, ...rest } = endOf(source)
    const counted = (statements: readonly string[]) => {
      calls++
      return ask(statements)
    }
    const usual = { empties: false, print: () => {} }
    await copy({ ...rest, ask: counted }, endOf(target), usual)
    // It is read twice.
    expect(calls).toBe(2)
    target = migratedDatabase()
    source.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11500)
      INSERT INTO idempotency_keys SELECT 'key ' || i, 'f', '', i FROM n`)
    const sums = await copy({ ...rest, ask: counted }, endOf(target), usual)
    // All first pages, a whole page and the rest.
    expect(calls).toBe(2 + 2 * 3)
    expect(sums.get('idempotency_keys')?.rows).toBe(11_501)
    expect(rowsOf(target, 'SELECT * FROM idempotency_keys ORDER BY 1')).toEqual(
      rowsOf(source, 'SELECT * FROM idempotency_keys ORDER BY 1'),
    )
  })

  it('is not made over rows that are there, unless it is told to', async () => {
    target.exec("INSERT INTO idempotency_keys VALUES ('old', 'f', '', 1)")
    await expect(copied()).rejects.toThrow(
      'D1 is not empty: 1 rows would be lost. Say --empty if that is meant.',
    )
    await copied({ empties: true })
    const keys = rowsOf(target, 'SELECT name FROM idempotency_keys')
    expect(keys).toEqual([{ name: 'n' }])
  })

  it.each(
    tablesOf().flatMap((table) =>
      table.columns
        // Columns that refer to others, and those that are referred to, cannot have any value.
        .filter(({ name }) => !table.key.includes(name) && name !== 'place_of_birth')
        .map(({ name, isNumber }) => ({ ...table, column: name, isNumber })),
    ),
  )('is refused where one character of $column differs in one row of $name', async (at) => {
    const key = at.key.join()
    const changed = at.isNumber
      ? `${at.column} + 1`
      : `'~' || coalesce(substr(${at.column}, 2), '')`
    const tampering = copiedWith(() =>
      target.exec(`UPDATE ${at.name} SET ${at.column} = ${changed}
          WHERE (${key}) IN (SELECT ${key} FROM ${at.name} ORDER BY ${key} DESC LIMIT 1)`),
    )
    await expect(tampering).rejects.toThrow(
      new RegExp(`^D1 holds other rows than D1: ${at.name} has \\d+ rows, of which some differ`),
    )
  })

  it.each([
    ['a row is missing', 'DELETE FROM idempotency_keys', 'idempotency_keys has 0 rows, not 1'],
    [
      'one is too many',
      "INSERT INTO user_citizenships VALUES ('p2', 'DK')",
      'user_citizenships has 15 rows, not 14',
    ],
  ])('is refused where %s', async (_, change, told) => {
    await expect(copiedWith(() => target.exec(change))).rejects.toThrow(
      `D1 holds other rows than D1: ${told}.\nD1 may hold a part of the rows now: begin again with --empty`,
    )
  })

  it.each([
    ['changes', "UPDATE users SET revision = 'r' WHERE id = 'p2'", 'users has 7 rows, of which'],
    ['comes', "INSERT INTO user_citizenships VALUES ('p2', 'DK')", 'user_citizenships has 15 rows'],
    ['goes', 'DELETE FROM idempotency_keys', 'idempotency_keys has 0 rows, not 1'],
  ])('is refused where a row of the source %s while it is copied', async (_, change, told) => {
    await expect(copiedWith(() => source.exec(change))).rejects.toThrow(
      `D1 has changed while it was copied: ${told}`,
    )
  })
})

describe('A checksum', () => {
  const sumOf = (...rows: readonly Row[]) => {
    const summing = new Summing()
    summing.add(rows)
    return summing.end().digest
  }

  it('tells null from an empty text and from its name, and where a value ends', () => {
    const all = [
      sumOf(['a', null]),
      sumOf(['a', '']),
      sumOf(['a', 'null']),
      sumOf(['a,', '']),
      sumOf(['a'], [null]),
      sumOf([null, 'a']),
      sumOf(['a', '"']),
      sumOf(['a', '\n']),
      sumOf(['a', '\u0301']),
    ]
    expect(new Set(all).size).toBe(all.length)
  })

  it('is the same for a number and its text, which is how the databases differ, and for pages of any length', () => {
    expect(sumOf(['a', 5])).toBe(sumOf(['a', '5']))
    const summing = new Summing()
    summing.add([['a']])
    summing.add([])
    summing.add([['b']])
    expect(summing.end()).toEqual({ rows: 2, digest: sumOf(['a'], ['b']) })
  })
})
