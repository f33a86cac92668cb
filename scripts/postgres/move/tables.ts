import { getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { idempotencyKeys } from '../../../src/idempotency/stored-keys.ts'
import { isRead, type Operation } from '../../../src/jsonapi/declare/operation.ts'
import { registry } from '../../../src/resources/index.ts'

/** A table that is moved. Its columns are in the order of their declaration. */
export interface Table {
  readonly name: string
  readonly columns: readonly Pick<SQLiteColumn, 'name' | 'dataType'>[]
  /** The columns of the primary key. Both databases order their texts by code points. */
  readonly key: readonly string[]
  /** Does an operation of the service write it? Otherwise it holds reference data, which the migrations bring. */
  readonly isWritten: boolean
}

/**
 * The tables of the service, those before others that these refer to. Counters are not among them: they follow from the rows.
 *
 * @throws Error where tables refer to each other in a circle
 */
export function tablesOf(): readonly Table[] {
  const declared = registry.types.flatMap((type) => {
    const { stored, operations, relationships } = registry.get(type)
    const links = Object.values(relationships).flatMap((relationship) =>
      relationship.cardinality === 'many' ? [relationship.stored.table] : [],
    )
    const names = [operations, ...Object.values(relationships).map((each) => each.operations)]
    const isWritten = names.flatMap(Object.keys).some((name) => !isRead(name as Operation))
    return [stored.table, ...links].map((table) => ({ table, isWritten }))
  })
  return inOrder([...declared, { table: idempotencyKeys, isWritten: true }]).map(described)
}

/** A declared table, and whether an operation writes it. */
type Declared = Pick<Table, 'isWritten'> & { readonly table: SQLiteTable }

function described({ table, isWritten }: Declared): Table {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter((column) => column.primary)
  return {
    name,
    columns,
    key: key.map((column) => column.name),
    isWritten,
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
