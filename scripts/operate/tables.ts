import { getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { idempotencyKeys } from '../../src/idempotency/stored-keys.ts'
import { isRead, type Operation } from '../../src/jsonapi/declare/operation.ts'
import { registry } from '../../src/resources/index.ts'

/** A table of the service. */
export interface StoredTable {
  readonly table: SQLiteTable
  /** Does an operation of the service write it? Otherwise it holds reference data, which the migrations bring. */
  readonly isWritten: boolean
}

/** The tables of the declared types. */
const declared = registry.types.flatMap((type) => {
  const { stored, operations, relationships } = registry.get(type)
  const links = Object.values(relationships).flatMap((relationship) =>
    relationship.cardinality === 'many' ? [relationship.stored.table] : [],
  )
  const names = [operations, ...Object.values(relationships).map((each) => each.operations)]
  const isWritten = names.flatMap(Object.keys).some((name) => !isRead(name as Operation))
  return [stored.table, ...links].map((table): StoredTable => ({ table, isWritten }))
})

/**
 * The tables of the service, those before others that these refer to. Counters are not among them: they follow from the rows.
 *
 * @throws Error where tables refer to each other in a circle
 */
export const storedTables: readonly StoredTable[] = [
  ...inOrder(declared),
  { table: idempotencyKeys, isWritten: true },
]

/** Tables in an order in which they can be filled: those that others refer to come first. */
function inOrder(left: readonly StoredTable[]): readonly StoredTable[] {
  if (left.length === 0) {
    return []
  }
  const names = left.map(({ table }) => getTableName(table))
  const free = left.filter(({ table }) =>
    getTableConfig(table).foreignKeys.every((key) => {
      const { foreignTable } = key.reference()
      return foreignTable === table || !names.includes(getTableName(foreignTable))
    }),
  )
  if (free.length === 0) {
    throw new Error(`Tables refer to each other in a circle: ${names.join(', ')}`)
  }
  return [...free, ...inOrder(left.filter((one) => !free.includes(one)))]
}
