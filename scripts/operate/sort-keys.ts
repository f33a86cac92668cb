import { getTableName } from 'drizzle-orm'
import { keyOf, storedAttribute } from '../../src/db/source.ts'
import type { ResourceDefinition } from '../../src/jsonapi/declare/resource.ts'
import type { Database } from './database.ts'
import { text } from './engines.ts'

/** Rows that are looked at with one command. */
const pageSize = 5_000

/** Bytes of a statement: D1 takes 100 KB, and a command line a little more. */
const mostBytes = 90_000

/** What the keys of an attribute have come to. */
export interface Renewal {
  readonly attribute: string
  readonly seen: number
  readonly renewed: number
}

/**
 * Writes the keys anew that a type is sorted by and an earlier version has folded otherwise: SQL cannot fold. It goes
 * through the table by id in bounded steps, can be stopped and run again at any time, and leaves alone what changes meanwhile:
 * whoever has changed a value has written its key, too. A key that must be unique is the same in all versions.
 */
export async function renewKeys(
  database: Database,
  definition: ResourceDefinition,
): Promise<readonly Renewal[]> {
  const names = Object.keys(definition.attributes).filter((name) => {
    const { key, unique } = storedAttribute(definition, name)
    return key && !unique
  })
  const renewals: Renewal[] = []
  for (const name of names) {
    renewals.push(await renewKeysOf(database, definition, name))
  }
  return renewals
}

async function renewKeysOf(
  database: Database,
  definition: ResourceDefinition,
  attribute: string,
): Promise<Renewal> {
  const { column, key = column } = storedAttribute(definition, attribute)
  const { id } = definition.stored
  const table = getTableName(definition.stored.table)
  let seen = 0
  let renewed = 0
  for (let last = ''; ; ) {
    const [rows = []] = await database.query([
      `SELECT ${id.name} AS id, ${column.name} AS value, ${key.name} AS key FROM ${table}
        WHERE ${id.name} > ${text(last)} ORDER BY ${id.name} LIMIT ${pageSize}`,
    ])
    const stale = rows.flatMap((row) => {
      const value = row.value === null ? null : String(row.value)
      const renewedKey = keyOf(definition, attribute, value)
      return renewedKey === row.key ? [] : [`(${[String(row.id), value, renewedKey].map(literal)})`]
    })
    for (const part of partsOf(stale)) {
      await database.query([
        `UPDATE ${table} SET ${key.name} = renewed.column3 FROM (VALUES ${part}) AS renewed
          WHERE ${table}.${id.name} = renewed.column1 AND ${table}.${column.name} IS NOT DISTINCT FROM renewed.column2`,
      ])
    }
    seen += rows.length
    renewed += stale.length
    last = String(rows.at(-1)?.id ?? last)
    if (rows.length < pageSize) {
      return { attribute, seen, renewed }
    }
  }
}

/** Parts of a list whose texts are few enough bytes for one statement. */
function partsOf(texts: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = []
  let room = 0
  for (const each of texts) {
    const bytes = Buffer.byteLength(each) + 1
    if (bytes > room) {
      parts.push([])
      room = mostBytes
    }
    parts.at(-1)?.push(each)
    room -= bytes
  }
  return parts
}

function literal(value: string | null): string {
  return value === null ? 'NULL' : text(value)
}
