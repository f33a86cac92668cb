import { eq, getTableName, inArray, or, sql } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { isComputed, sealContext } from '../../src/db/stored.ts'
import { createCipher, parseKeyRing } from '../../src/lib/key-ring.ts'
import { registry } from '../../src/resources/index.ts'
import { decrypt } from '../lib/cards.ts'
import { complaint } from '../lib/complaint.ts'
import type { Database, Row } from './database.ts'
import { storedTables } from './tables.ts'

/** Resources that are deleted in one transaction. A statement of D1 has at most 100 parameters. */
const idsAtOnce = 90

/** The types whose resources people own, as they are declared. */
const ownedTypes = registry.types.flatMap((type) => {
  const { stored, attributes } = registry.get(type)
  const { table, owner, id, counter } = stored
  return owner === undefined ? [] : [{ type, table, owner, id, counter, attributes }]
})

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
    const name = getTableName(type.table)
    const rows = owned[name] ?? []
    return [name, await Promise.all(rows.map((row) => open(type, row, ring)))] as const
  })
  return { subject, owned: Object.fromEntries(await Promise.all(opened)), references }
}

/** Counts the rows that are stored of a person, by table. */
export async function personalRows(database: Database, subject: string) {
  const { owned, references } = await find(database, subject)
  const rows = Object.entries({ ...owned, ...references })
  return Object.fromEntries(rows.map(([table, { length }]) => [table, length]))
}

/**
 * Erases everything that is stored of a person: what they own, and with it, by the foreign keys, what refers to it.
 *
 * @throws a complaint when something is left, which the person may have made meanwhile
 */
export async function erasePerson(database: Database, subject: string): Promise<void> {
  for (const { table, owner, id, counter } of ownedTypes) {
    for (;;) {
      const [rows = []] = await database.query([
        sql`select ${id} as id from ${table} where ${eq(owner, subject)} limit ${idsAtOnce}`,
      ])
      if (rows.length === 0) {
        break
      }
      const ids = rows.map((row) => row.id)
      const isErased = inArray(id, ids)
      const erased = sql`delete from ${table} where ${isErased}`
      // Of those that were found, some may have gone since.
      const counted = sql`update counters set value = value - (select count(*) from ${table} where ${isErased}) where name = ${counter}`
      await database.query(counter === undefined ? [erased] : [counted, erased])
    }
  }
  const left = Object.keys(await personalRows(database, subject)).join(', ')
  if (left !== '') {
    throw complaint(`Something is left in ${left}. End the person's access, and run this again.`)
  }
}

/** A person's rows, and those that refer to them by foreign keys, by table. */
async function find(database: Database, subject: string) {
  const owned = ownedTypes.map(
    ({ table, owner }) =>
      [getTableName(table), sql`select * from ${table} where ${eq(owner, subject)}`] as const,
  )
  const references = storedTables.flatMap(({ table }) => {
    const { name, foreignKeys } = getTableConfig(table)
    const conditions = foreignKeys.flatMap((key) => {
      const { columns, foreignTable } = key.reference()
      const type = ownedTypes.find((each) => each.table === foreignTable)
      return columns.flatMap((column) =>
        type
          ? sql`${column} in (select ${type.id} from ${type.table} where ${eq(type.owner, subject)})`
          : [],
      )
    })
    const where = or(...conditions)
    return where ? [[name, sql`select * from ${table} where ${where}`] as const] : []
  })
  const searches = [...owned, ...references]
  const found = await database.query(searches.map(([, statement]) => statement))
  const rows = searches.map(([name], nth) => [name, found[nth] ?? []] as const)
  const stored = (some: typeof rows) => Object.fromEntries(some.filter(([, { length }]) => length))
  return {
    owned: stored(rows.slice(0, owned.length)),
    references: stored(rows.slice(owned.length)),
  }
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
