import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
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

/** The tables of the service. Counters are not among them: they follow from the rows. */
export const storedTables: readonly StoredTable[] = [
  ...declared,
  { table: idempotencyKeys, isWritten: true },
]
