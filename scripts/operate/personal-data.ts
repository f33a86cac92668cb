import { type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { isComputed, sealContext } from '../../src/db/stored.ts'
import { createCipher, parseKeyRing } from '../../src/lib/key-ring.ts'
import { registry } from '../../src/resources/index.ts'
import { decrypt } from '../lib/cards.ts'
import { complaint } from '../lib/complaint.ts'
import type { Progress } from '../lib/progress.ts'
import type { Database, Row } from './database.ts'
import { storedTables } from './tables.ts'

/** Resources that are deleted in one transaction. */
const idsAtOnce = 300

/** The types whose resources people own, as they are declared. */
const ownedTypes = registry.types.flatMap((type) => {
  const { stored, attributes } = registry.get(type)
  const { table, owner, id, counter } = stored
  return owner === undefined ? [] : [{ type, table, owner, id, counter, attributes }]
})

/** A column as it is called in a statement about its table alone. */
const nameOf = ({ name }: SQLiteColumn): SQL => sql`${sql.identifier(name)}`

/**
 * Reads everything that is stored of a person, by table, in the words of the database: what they own, card numbers in the clear, and what
 * refers to that, whoever wrote it.
 *
 * @param ring the key ring that card numbers are encrypted under; without it they cannot be read
 * @throws a complaint when there is a card number, and no ring
 */
export async function personalData(database: Database, subject: string, ring: string | undefined) {
  const { owned, references } = await find(database, subject)
  const opened = ownedTypes.map(async (type) => {
    const { name } = getTableConfig(type.table)
    const rows = owned[name] ?? []
    return [name, await Promise.all(rows.map((row) => open(type, row, ring)))] as const
  })
  return { subject, owned: Object.fromEntries(await Promise.all(opened)), references }
}

/** How many rows there are, by table. */
type Counts = Readonly<Record<string, number>>

/**
 * Erases everything that is stored of a person: what they own, and with it, by the foreign keys, what refers to it.
 *
 * @param consent hears before how many rows that are; nothing is erased where it throws
 * @returns how many rows there were, by table
 * @throws Error when something is left of what was found; a complaint when the person has made more meanwhile
 */
export async function erasePerson(
  database: Database,
  subject: string,
  progress?: Progress,
  consent?: (counts: Counts) => Promise<void>,
): Promise<Counts> {
  const { owned, references } = await find(database, subject)
  const rows = Object.entries({ ...owned, ...references })
  const counts = Object.fromEntries(rows.map(([table, { length }]) => [table, length]))
  if (rows.length > 0) {
    await consent?.(counts)
  }
  for (const { table, id, counter } of ownedTypes) {
    const all = (owned[getTableConfig(table).name] ?? []).map((row) => String(row[id.name]))
    progress?.begin('Erasing', all.length)
    for (let start = 0; start < all.length; start += idsAtOnce) {
      const ids = all.slice(start, start + idsAtOnce)
      const isErased = database.isOneOf(nameOf(id), ids)
      const left = await database.query([
        // Of those that were found, some may have gone since.
        ...(counter === undefined
          ? []
          : [
              sql`update counters set value = value - (select count(*) from ${table} where ${isErased}) where name = ${counter}`,
            ]),
        sql`delete from ${table} where ${isErased}`,
        ...referring(table, (column) => database.isOneOf(column, ids)).map(
          ({ statement }) => statement,
        ),
      ])
      if (left.flat().length > 0) {
        throw new Error(`Something of ${subject} is left: ${JSON.stringify(left.flat())}`)
      }
      progress?.add(ids.length)
    }
  }
  if (Object.keys((await find(database, subject)).owned).length > 0) {
    throw complaint(
      `${subject} has made more meanwhile. End the person's access, and run this again.`,
    )
  }
  return counts
}

/** A statement, and the table that its rows stand in. */
interface Search {
  readonly table: string
  readonly statement: SQL
}

/** A person's rows, and those that refer to them by foreign keys. */
async function find(database: Database, subject: string) {
  const isOwned = (owner: SQLiteColumn) => sql`${nameOf(owner)} = ${subject}`
  const owned = ownedTypes.map(({ table, owner }) => ({
    table: getTableConfig(table).name,
    statement: sql`select * from ${table} where ${isOwned(owner)}`,
  }))
  const references = ownedTypes.flatMap(({ table, owner, id }) =>
    referring(
      table,
      (column) => sql`${column} in (select ${nameOf(id)} from ${table} where ${isOwned(owner)})`,
    ),
  )
  const found = await database.query([...owned, ...references].map(({ statement }) => statement))
  return {
    owned: byTable(owned, found),
    references: byTable(references, found.slice(owned.length)),
  }
}

/** The rows that searches have found, by table. */
function byTable(searches: readonly Search[], found: readonly (readonly Row[])[]) {
  const rows: Record<string, Row[]> = {}
  for (const [index, { table }] of searches.entries()) {
    for (const row of found[index] ?? []) {
      rows[table] ??= []
      rows[table].push(row)
    }
  }
  return rows
}

/** Statements that find what refers to rows of a table; `isAmong` says whether a column names one of them. */
function referring(target: SQLiteTable, isAmong: (column: SQL) => SQL): Search[] {
  return storedTables.flatMap(({ table }) => {
    const { name, foreignKeys } = getTableConfig(table)
    const conditions = foreignKeys.flatMap((key) => {
      const { columns, foreignTable } = key.reference()
      return foreignTable === target ? columns.map((column) => isAmong(nameOf(column))) : []
    })
    const where = sql.join(conditions, sql` or `)
    return conditions.length === 0
      ? []
      : [{ table: name, statement: sql`select * from ${table} where ${where}` }]
  })
}

/** A row as people read it: what is sealed is opened, what is JSON is parsed. */
async function open(
  { type, id, attributes }: (typeof ownedTypes)[number],
  row: Row,
  ring: string | undefined,
): Promise<Record<string, unknown>> {
  const opened: Record<string, unknown> = { ...row }
  for (const [name, { stored }] of Object.entries(attributes)) {
    if (isComputed(stored)) {
      continue
    }
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
      const context = sealContext(type, String(row[id.name]), name)
      opened[stored.column.name] = await decrypt(createCipher(parseKeyRing(ring)), value, context)
    } else if (stored.as === 'json') {
      opened[stored.column.name] = JSON.parse(value)
    }
  }
  return opened
}
