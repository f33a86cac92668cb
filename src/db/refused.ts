import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Identifier } from '../jsonapi/document.ts'
import type { Change, Outcome } from '../jsonapi/run/store.ts'
import type { Connection } from './connection.ts'
import type { Violation } from './retry.ts'
import {
  type StoredDefinition,
  type StoredRegistry,
  type StoredType,
  storedRelationship,
} from './source.ts'
import { bind } from './statement.ts'
import { danglingStatement, existsStatement, type WriteValues } from './write-sql.ts'

/** How much one person, and one resource, may hold (contract, section 15). */
export interface Quotas {
  /** Resources of one type that one person owns. */
  readonly owned: number
  /** Members of one to-many relationship. */
  readonly members: number
}

/** What tells why a write was refused. */
export interface Asking {
  readonly registry: StoredRegistry
  readonly run: Connection
  readonly quotas: Quotas
}

/** Why a write found no resource to change: there is none, or somebody else owns it. */
export async function whyUnclaimed(
  { run }: Asking,
  source: StoredType,
  values: WriteValues,
): Promise<Outcome> {
  const [rows = []] = await run([bind(existsStatement(source), values)])
  return { kind: rows.length > 0 ? 'foreign' : 'absent' }
}

/** The targets of linkage that do not exist. */
export async function danglingOf(
  { registry, run }: Asking,
  type: string,
  members: Readonly<Record<string, readonly Identifier[]>>,
  values: WriteValues,
): Promise<{ relationship: string; id: string }[]> {
  const definition = registry.get(type)
  const names = Object.keys(members)
  if (names.length === 0) {
    return []
  }
  const results = await run(
    names.map((name) => {
      const target = registry.get(storedRelationship(definition, name).target).stored
      return bind(danglingStatement(target, name), values)
    }),
  )
  return names.flatMap((relationship, index) =>
    (results[index] ?? []).map(([id]) => ({ relationship, id: String(id) })),
  )
}

/** What a constraint refused that no missing target explains; undefined where no request can cause it. */
export function conflictOf(
  { quotas }: Asking,
  definition: StoredDefinition,
  change: Change,
  violation: Violation,
): Outcome | undefined {
  if (violation.kind === 'not null') {
    return fullOf(definition, change, violation, quotas)
  }
  const attributes =
    violation.kind === 'unique' && 'attributes' in change
      ? takenOf(definition, violation.columns).filter((name) => name in change.attributes)
      : []
  return attributes.length > 0 ? { kind: 'taken', attributes } : undefined
}

/** The relationship that an update may not replace, since more of its members are stored than were shown. */
export function unshownOf(
  definition: StoredDefinition,
  change: Change,
  violation: Violation,
): Outcome | undefined {
  const replaced =
    change.kind === 'update' && violation.kind === 'not null' ? change.relationships : {}
  const relationship = Object.keys(replaced).find((name) => {
    const { cardinality, stored } = storedRelationship(definition, name)
    return cardinality === 'many' && isNamed(violation, stored.table, stored.target)
  })
  return relationship === undefined ? undefined : { kind: 'unshown', relationship }
}

/** The quota whose column of the owner was to be null, if the change can exceed it. */
function fullOf(
  definition: StoredDefinition,
  change: Change,
  violation: Violation,
  quotas: Quotas,
): Outcome | undefined {
  const { table, owner } = definition.stored
  if (change.kind === 'create' && owner && isNamed(violation, table, owner)) {
    return { kind: 'full', most: quotas.owned }
  }
  const written =
    change.kind === 'add' || change.kind === 'replace'
      ? [change.relationship]
      : Object.keys('relationships' in change ? change.relationships : {})
  const relationship = written.find((name) => {
    const { cardinality, stored } = storedRelationship(definition, name)
    return cardinality === 'many' && isNamed(violation, stored.table, stored.owner)
  })
  return relationship === undefined
    ? undefined
    : { kind: 'full', relationship, most: quotas.members }
}

/** Was the column refused? */
function isNamed(violation: Violation, table: SQLiteTable, column: SQLiteColumn): boolean {
  return (
    'columns' in violation && violation.columns.includes(`${getTableName(table)}.${column.name}`)
  )
}

function takenOf({ attributes }: StoredDefinition, columns: readonly string[]): string[] {
  const names = columns.map((column) => column.split('.').at(-1))
  return Object.entries(attributes)
    .filter(
      ([
        ,
        {
          stored: { column, key, unique },
        },
      ]) => unique && names.includes((key ?? column).name),
    )
    .map(([name]) => name)
}
