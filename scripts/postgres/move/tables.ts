import { getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { idempotencyKeys } from '../../../src/db/schema.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { registry as service } from '../../../src/resources/index.ts'

/** A table that is moved. Columns are those that the service declares, in the order of their declaration. */
export interface Table {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[]
  /** The columns of the primary key. Both databases order their texts by code points. */
  readonly key: readonly string[]
  /** Do migrations alone write it? */
  readonly isReference: boolean
}

/**
 * The tables of a registry, those before others that these refer to. Counters are not among them: they follow from the rows.
 *
 * @throws Error where tables refer to each other in a circle
 */
export function tablesOf(registry: Registry = service): readonly Table[] {
  const declared = registry.types.flatMap((type) => {
    const { stored, relationships, snapshot: isReference = false } = registry.get(type)
    const links = Object.values(relationships).flatMap((relationship) =>
      relationship.cardinality === 'many' ? [relationship.stored.table] : [],
    )
    return [stored.table, ...links].map((table) => ({ table, isReference }))
  })
  return inOrder([...declared, { table: idempotencyKeys, isReference: false }]).map(described)
}

/** A declared table, and whether it holds reference data. */
interface Declared {
  readonly table: SQLiteTable
  readonly isReference: boolean
}

function described({ table, isReference }: Declared): Table {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter((column) => column.primary)
  return {
    name,
    columns: columns.map((column) => ({
      name: column.name,
      isNumber: column.dataType === 'number',
    })),
    key: key.map((column) => column.name),
    isReference,
  }
}

/** Tables in an order in which they can be filled: those that others refer to come first. */
function inOrder(left: readonly Declared[]): readonly Declared[] {
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
