import { getTableName } from 'drizzle-orm'
import { keyOf, storedAttribute } from '../../src/db/source.ts'
import type { ResourceDefinition } from '../../src/jsonapi/declare/resource.ts'
import type { Wrangler } from '../lib/wrangler.ts'

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

/** A row, as far as its key depends on it. */
interface Row {
  readonly id: string
  readonly value: string | null
  readonly key: string
}

/**
 * Writes the keys anew that a type is sorted by and an earlier version has folded otherwise: SQL cannot fold. It goes
 * through the table by id in bounded steps, can be stopped and run again at any time, and leaves alone what changes meanwhile:
 * whoever has changed a value has written its key, too. A key that must be unique is the same in all versions.
 *
 * @param where arguments of wrangler that tell which database
 */
export async function renewKeys(
  wrangler: Wrangler,
  definition: ResourceDefinition,
  where: readonly string[],
): Promise<readonly Renewal[]> {
  const names = Object.keys(definition.attributes).filter((name) => {
    const { key, unique } = storedAttribute(definition, name)
    return key && !unique
  })
  const renewals: Renewal[] = []
  for (const name of names) {
    renewals.push(await renewKeysOf(wrangler, definition, name, where))
  }
  return renewals
}

async function renewKeysOf(
  wrangler: Wrangler,
  definition: ResourceDefinition,
  attribute: string,
  where: readonly string[],
): Promise<Renewal> {
  const { column, key = column } = storedAttribute(definition, attribute)
  const { id } = definition.stored
  const table = getTableName(definition.stored.table)
  const query = async (sql: string): Promise<readonly Row[]> => {
    const answer = await wrangler('d1', 'execute', 'DB', ...where, '--json', '--command', sql)
    const [result]: { results: Row[] }[] = JSON.parse(answer)
    return result?.results ?? []
  }
  let seen = 0
  let renewed = 0
  for (let last = ''; ; ) {
    const rows = await query(
      `SELECT ${id.name} AS id, ${column.name} AS value, ${key.name} AS key FROM ${table}
        WHERE ${id.name} > ${text(last)} ORDER BY ${id.name} LIMIT ${pageSize}`,
    )
    const stale = rows.flatMap((row) => {
      const renewedKey = keyOf(definition, attribute, row.value)
      return renewedKey === row.key ? [] : [text(JSON.stringify([row.id, row.value, renewedKey]))]
    })
    for (const part of partsOf(stale)) {
      const list = part.map((row) => row.slice(1, -1)).join(',')
      await query(
        `UPDATE ${table} SET ${key.name} = renewed.value ->> 2 FROM json_each('[${list}]') AS renewed
          WHERE ${table}.${id.name} = renewed.value ->> 0 AND ${table}.${column.name} IS renewed.value ->> 1`,
      )
    }
    seen += rows.length
    renewed += stale.length
    last = rows.at(-1)?.id ?? last
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

/** A literal of SQL: wrangler binds no values. */
function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
