import { and, eq, not, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  among,
  type Batch,
  type Connection,
  type Database,
  listOf,
  type Query,
  type Rows,
} from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition, ToMany } from '../jsonapi/declare/resource.ts'
import type { Identifier } from '../jsonapi/json.ts'
import type { Edit, Found, Outcome } from '../jsonapi/run/port.ts'
import type { Cipher } from './cipher.ts'
import type { Condition, Quotas } from './conditions.ts'
import { planOf } from './read.ts'
import { counters } from './schema.ts'
import {
  columnValue,
  keyOf,
  metaColumns,
  propertyOf,
  sealContext,
  storedAttribute,
  storedRelationship,
} from './stored.ts'

declare module '../jsonapi/run/port.ts' {
  interface Guard {
    of(db: Database, edits: readonly Edit[]): Guarded
  }
}

/** What a guard adds to a write: a condition in front of all others, and statements of the same transaction. */
interface Guarded {
  readonly condition: SQL
  readonly statements: readonly Query[]
  /** Asks for an earlier write where the condition has not held. */
  readonly question: (db: Database) => Query
  /** The outcome where there was an earlier write, from the answer to the question. */
  readonly used: (rows: Rows) => Outcome | undefined
}

/** What a write needs to run. */
export interface Writing {
  readonly connection: Connection
  /** Makes a further connection, which begins at the newest state. Its calls count as those of the first one. */
  readonly reconnect: () => Connection
  readonly registry: Registry
  readonly cipher: Cipher
  readonly quotas: Quotas
  /** A batch that arrives later than these milliseconds does nothing. */
  readonly validityMs: number
  readonly guarded?: Guarded | undefined
}

/** An edit with the values of the columns that it sets. */
interface SealedEdit extends Edit {
  /** By the names of the columns in the declaration of the table. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Gives an edit the values of its columns. They are the same each time that the edit is sent. */
export async function sealEdit({ registry, cipher }: Writing, edit: Edit): Promise<SealedEdit> {
  const { type, id, kind, owner, revision, attributes, relationships } = edit
  const definition = registry.get(type)
  const { stored } = definition
  const cells: Cell[] = [[stored.revision, revision]]
  if (kind === 'create') {
    cells.push([stored.id, id], [stored.owner, owner])
  }
  // A create sets the key columns of the attributes that were not sent, too.
  for (const name of Object.keys(kind === 'create' ? definition.attributes : attributes)) {
    const { as, column, key } = storedAttribute(definition, name)
    const value = attributes[name] ?? null
    const text = typeof value === 'string' ? value : null
    if (as === 'json') {
      cells.push([column, Object.keys(value ?? {}).length === 0 ? null : JSON.stringify(value)])
    } else if (as === 'sealed') {
      const context = sealContext(type, id, name)
      cells.push([column, text === null ? null : await cipher.encrypt(text, context)])
    } else {
      cells.push([column, text === null ? value : columnValue(column, text)])
    }
    cells.push([key, key && keyOf(definition, name, text)])
  }
  for (const [name, [first]] of Object.entries(relationships)) {
    const { cardinality, stored } = storedRelationship(definition, name)
    cells.push([cardinality === 'one' ? stored : undefined, first?.id ?? null])
  }
  return { ...edit, values: valuesOf(stored.table, cells) }
}

/** A column and its value. Types have no column for some. */
type Cell = readonly [column: SQLiteColumn | undefined, value: unknown]

function valuesOf(table: SQLiteTable, cells: readonly Cell[]): Record<string, unknown> {
  const entries = cells.flatMap(([column, value]) =>
    column ? [[propertyOf(table, column), value]] : [],
  )
  return Object.fromEntries(entries)
}

/**
 * The batch that makes edits, unless a condition does not hold or the time `until` is over by the clock of the database.
 *
 * @returns `foundIn` makes what the reads of the edits have found of the rows of the batch
 */
export function batchOf(
  { connection, registry, cipher, guarded }: Writing,
  edits: readonly SealedEdit[],
  conditions: readonly Condition[],
  until: number,
) {
  const { db } = connection
  const statements: Query[] = [...(guarded?.statements ?? [])]
  const readers: ((results: readonly Rows[]) => Promise<Found>)[] = []
  for (const edit of edits) {
    statements.push(...statementsOf(db, registry.get(edit.type), edit))
    if (edit.read) {
      const { queries, decode } = planOf(db, registry, cipher, edit.read)
      const start = statements.length
      statements.push(...queries)
      readers.push((results) => decode(results.slice(start, start + queries.length)))
    }
  }
  const counts = countsOf(registry, edits)
  for (const [name, by] of counts) {
    const value = sql`${counters.value} + ${by}`
    statements.push(db.update(counters).set({ value }).where(eq(counters.name, name)))
  }
  const expressions = conditions.map((condition) => expressionOf(db, registry, condition))
  const batch: Batch = {
    locks: { rows: lockedRows(registry, conditions), counters: [...counts.keys()] },
    conditions: guarded ? [guarded.condition, ...expressions] : expressions,
    until,
    statements,
  }
  const foundIn = (results: readonly Rows[]) => Promise.all(readers.map((read) => read(results)))
  return { batch, foundIn }
}

/** The plain statements that make an edit. */
function statementsOf(
  db: Database,
  definition: ResourceDefinition,
  { kind, id, relationships, values }: SealedEdit,
): Query[] {
  const { stored } = definition
  const isOwn = eq(stored.id, id)
  if (kind === 'delete') {
    return [db.delete(stored.table).where(isOwn)]
  }
  const row =
    kind === 'create'
      ? db.insert(stored.table).values(values)
      : db.update(stored.table).set(values).where(isOwn)
  const members = Object.entries(relationships).flatMap(([name, sent]) => {
    const relationship = storedRelationship(definition, name)
    return relationship.cardinality === 'one'
      ? []
      : memberStatements(db, relationship, id, kind, sent)
  })
  return [row, ...members]
}

/** D1 allows 100 parameters in a statement. */
const maxParameters = 100

function memberStatements(
  db: Database,
  relationship: ToMany,
  id: string,
  kind: Edit['kind'],
  sent: readonly Identifier[],
): Query[] {
  const { table, owner, target } = relationship.stored
  const metas = metaColumns(relationship)
  const ids = sent.map((one) => one.id)
  if (kind === 'remove') {
    return [db.delete(table).where(and(eq(owner, id), isAmong(target, ids)))]
  }
  const others = db.delete(table).where(and(eq(owner, id), not(isAmong(target, ids))))
  const statements: Query[] = kind === 'update' ? [others] : []
  const rows = sent.map((one) => {
    const meta = metas.map(([name, column]): Cell => [column, one.meta?.[name]])
    return valuesOf(table, [[owner, id], [target, one.id], ...meta])
  })
  // A member that is there already takes over the `meta` that is sent.
  const sentMeta = metas.map(([, column]): Cell => [column, sql.raw(`excluded.${column.name}`)])
  const size = Math.floor(maxParameters / (2 + metas.length))
  for (let start = 0; start < rows.length; start += size) {
    const insert = db.insert(table).values(rows.slice(start, start + size))
    statements.push(
      metas.length === 0
        ? insert.onConflictDoNothing()
        : insert.onConflictDoUpdate({ target: [owner, target], set: valuesOf(table, sentMeta) }),
    )
  }
  return statements
}

/** By how much edits change each counter. */
function countsOf(registry: Registry, edits: readonly Edit[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { type, kind } of edits) {
    const { counter } = registry.get(type).stored
    if (counter !== undefined && (kind === 'create' || kind === 'delete')) {
      counts.set(counter, (counts.get(counter) ?? 0) + (kind === 'create' ? 1 : -1))
    }
  }
  return counts
}

/** The rows that conditions are about, in an order of tables that is the same for all writes. */
function lockedRows(registry: Registry, conditions: readonly Condition[]): Batch['locks']['rows'] {
  return registry.types.flatMap((type) => {
    const { table, id, revision } = registry.get(type).stored
    const ids = conditions.flatMap((one) =>
      one.kind === 'rows' && one.type === type ? one.ids : [],
    )
    // Resources without revisions are never written.
    return revision && ids.length > 0 ? [{ table, id, ids }] : []
  })
}

/** The SQL expression of a condition. It is true if the condition holds. */
export function expressionOf(db: Database, registry: Registry, condition: Condition): SQL {
  if (condition.kind === 'never') {
    return sql`1 = 0`
  }
  if (condition.kind === 'rows') {
    const { type, ids, owner: person, ifMatch, ifNoneMatch } = condition
    const { table, id, owner, revision } = registry.get(type).stored
    const isMeant = and(
      isAmong(id, ids),
      owner && person ? eq(owner, person) : undefined,
      revision && ifMatch && isAmong(revision, ifMatch),
      ifNoneMatch === '*'
        ? sql`1 = 0`
        : revision && ifNoneMatch && not(isAmong(revision, ifNoneMatch)),
    )
    return sql`${db.$count(table, isMeant)} = ${spelled(ids.length)}`
  }
  const { max, present } = condition
  const [column, value] = condition.holding
  const [id, except] = condition.besides
  const table = column.table as SQLiteTable
  const has = eq(column, value)
  // Reads no more rows than show that there are too many.
  const few = db
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(and(has, except.length > 0 ? not(isAmong(id, except)) : undefined))
    .limit(spelled(Math.max(max, 0) + 1) as SQL & number)
  const isFew = sql`${db.$count(few.as('few'))} <= ${spelled(max)}`
  return present
    ? sql`(${isFew} or ${db.$count(table, and(has, isAmong(id, present)))} = ${spelled(present.length)})`
    : isFew
}

/** A whole number that is no parameter: D1 allows 100 of these in a statement, and many conditions stand in one. */
function spelled(number: number): SQL {
  return sql.raw(String(number))
}

/** Is the column equal to one of the values? */
export function isAmong(column: SQLiteColumn, values: readonly unknown[]): SQL {
  return among(column, sql.param(listOf(column, values)))
}
