import { getTableName } from 'drizzle-orm'
import { createCipher } from '../../src/db/cipher.ts'
import { sealContext } from '../../src/db/stored.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { registry } from '../../src/resources/index.ts'
import { decrypt } from '../lib/cards.ts'
import { complaint } from '../lib/complaint.ts'
import { literal } from '../lib/sql.ts'
import { type Database, type Row, type Table, tablesOf } from './database.ts'

/** Rows by the table that they stand in, in the words of the database. */
type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** Everything that is stored of a person. */
export interface PersonalData {
  readonly subject: string
  /** What the person owns; card numbers in the clear. */
  readonly owned: Rows
  /** What refers to that, whoever wrote it. */
  readonly references: Rows
}

/** Ids that one statement names: some of them go to wrangler in one argument, which has 128 KB. */
const idsAtOnce = 300

/** The types whose resources people own, as they are declared. */
const ownedTypes = registry.types.flatMap((type) => {
  const { stored, attributes } = registry.get(type)
  const { owner, id, counter } = stored
  const table = getTableName(stored.table)
  return owner === undefined
    ? []
    : [{ type, table, owner: owner.name, id: id.name, counter, attributes }]
})

/**
 * Reads everything that is stored of a person.
 *
 * @param ring the key ring that card numbers are encrypted under; without it they cannot be read
 * @throws a complaint when there is a card number, and no ring
 */
export async function personalData(
  database: Database,
  subject: string,
  ring: string | undefined,
): Promise<PersonalData> {
  const { owned, references } = await find(database, subject)
  const opened = ownedTypes.map(async (type) => {
    const rows = owned[type.table] ?? []
    return [type.table, await Promise.all(rows.map((row) => open(type, row, ring)))] as const
  })
  return { subject, owned: Object.fromEntries(await Promise.all(opened)), references }
}

/**
 * Erases everything that is stored of a person: what they own, and with it, by the foreign keys, what refers to it.
 *
 * @returns how many rows there were, by table
 * @throws Error when something is left of what was found; a complaint when the person has made more meanwhile
 */
export async function erasePerson(
  database: Database,
  subject: string,
): Promise<Readonly<Record<string, number>>> {
  const { tables, owned, references } = await find(database, subject)
  const deletions = ownedTypes.flatMap(({ table, id, counter }) =>
    batches((owned[table] ?? []).map((row) => literal(String(row[id])))).map((ids) => [
      // Of those that were found, some may have gone since.
      ...(counter === undefined
        ? []
        : [
            `UPDATE counters SET value = value - (SELECT count(*) FROM ${table} WHERE ${id} IN (${ids})) WHERE name = ${literal(counter)}`,
          ]),
      `DELETE FROM ${table} WHERE ${id} IN (${ids})`,
      ...referring(tables, table, ids).map(({ sql }) => sql),
    ]),
  )
  for (const statements of deletions) {
    const left = (await database.query(statements)).flat()
    if (left.length > 0) {
      throw new Error(`Something of ${subject} is left: ${JSON.stringify(left)}`)
    }
  }
  if (Object.keys((await find(database, subject, tables)).owned).length > 0) {
    throw complaint(
      `${subject} has made more meanwhile. End the person's access, and run this again.`,
    )
  }
  const rows = Object.entries({ ...owned, ...references })
  return Object.fromEntries(rows.map(([table, { length }]) => [table, length]))
}

/** A statement, and the table that its rows stand in. */
interface Search {
  readonly table: string
  readonly sql: string
}

/** A person's rows, and those that refer to them by foreign keys, as the database itself declares these. */
async function find(database: Database, subject: string, known?: readonly Table[]) {
  const tables = known ?? (await tablesOf(database))
  const own = ownedTypes.map(({ table, owner, id }) => ({
    table,
    id,
    where: `FROM ${table} WHERE ${owner} = ${literal(subject)}`,
  }))
  const owned = own.map(({ table, where }) => ({ table, sql: `SELECT * ${where}` }))
  const references = own.flatMap(({ table, id, where }) =>
    referring(tables, table, `SELECT ${id} ${where}`),
  )
  const searches = [...owned, ...references]
  const found = await database.query(searches.map(({ sql }) => sql))
  const byTable = (from: number, to: number): Record<string, Row[]> => {
    const rows: Record<string, Row[]> = {}
    for (const [index, { table }] of searches.entries()) {
      const some = found[index] ?? []
      if (index >= from && index < to && some.length > 0) {
        rows[table] = [...(rows[table] ?? []), ...some]
      }
    }
    return rows
  }
  return {
    tables,
    owned: byTable(0, owned.length),
    references: byTable(owned.length, searches.length),
  }
}

/** Statements that find what refers to rows of a table, by their ids: a list, or a statement that gives them. */
function referring(tables: readonly Table[], target: string, ids: string): Search[] {
  return tables.flatMap(({ name, references }) => {
    const columns = references.filter(({ table }) => table === target)
    const where = columns.map(({ column }) => `${column} IN (${ids})`).join(' OR ')
    return columns.length === 0
      ? []
      : [{ table: name, sql: `SELECT * FROM ${name} WHERE ${where}` }]
  })
}

/** Items in lists of at most {@link idsAtOnce}, as text with commas between them. */
function batches(items: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(items.length / idsAtOnce) }, (_, nth) =>
    items.slice(nth * idsAtOnce, (nth + 1) * idsAtOnce).join(', '),
  )
}

/** A row as people read it: what is sealed is opened, what is JSON is parsed. */
async function open(
  { type, id, attributes }: (typeof ownedTypes)[number],
  row: Row,
  ring: string | undefined,
): Promise<Record<string, unknown>> {
  const opened: Record<string, unknown> = { ...row }
  for (const [name, { stored }] of Object.entries(attributes)) {
    const value = row[stored.column.name]
    if (typeof value !== 'string') {
      continue
    }
    if (stored.as === 'sealed') {
      if (ring === undefined) {
        throw complaint(
          'A card number is encrypted: name the file with the key ring with --secrets-file.',
        )
      }
      const context = sealContext(type, String(row[id]), name)
      opened[stored.column.name] = await decrypt(createCipher(parseKeyRing(ring)), value, context)
    } else if (stored.as === 'json') {
      opened[stored.column.name] = JSON.parse(value)
    }
  }
  return opened
}
