import { and, eq, exists, not, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { among, type Batch, type Database, listOf, type Query } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition, ToMany } from '../jsonapi/declare/resource.ts'
import type { Identifier } from '../jsonapi/document.ts'
import type { Edit } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import { type Condition, linkageOf } from './conditions.ts'
import { counters } from './schema.ts'
import {
  columnValue,
  keyColumn,
  keyOf,
  metaColumns,
  propertyOf,
  sealContext,
  storedAttribute,
  storedRelationship,
} from './stored.ts'

/** An edit with the values of the columns that it sets. They are the same each time that the edit is sent. */
export interface SealedEdit extends Edit {
  /** By the names under which the declaration of the table has the columns. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Gives an edit the values of its columns: texts folded for their key columns, and sealed where the column is. */
export async function sealEdit(
  registry: Registry,
  cipher: Cipher,
  edit: Edit,
): Promise<SealedEdit> {
  const { type, change, owner, revision } = edit
  const definition = registry.get(type)
  const { stored } = definition
  const values: Record<string, unknown> = {}
  const set = (column: SQLiteColumn | undefined, value: unknown): void => {
    if (column) {
      values[propertyOf(stored.table, column)] = value
    }
  }
  set(stored.revision, revision)
  if (change.kind === 'create') {
    set(stored.id, change.id)
    set(stored.owner, owner)
  }
  const sent = 'attributes' in change ? change.attributes : {}
  // A create sets the key columns of the attributes that were not sent, too.
  for (const name of Object.keys(change.kind === 'create' ? definition.attributes : sent)) {
    const { as, column, key } = storedAttribute(definition, name)
    const given = sent[name] ?? null
    const isDate = column.dataType === 'date' && typeof given === 'string'
    const value = isDate ? columnValue(column, given) : given
    const isSealed = as === 'sealed' && typeof value === 'string'
    const context = sealContext(type, change.id, name)
    set(
      column,
      isSealed ? await cipher.encrypt(value, context) : as === 'json' ? jsonOf(value) : value,
    )
    set(key, key && keyOf(definition, name, value as string | null))
  }
  for (const [name, [first]] of Object.entries(linkageOf(change))) {
    const { cardinality, stored } = storedRelationship(definition, name)
    set(cardinality === 'one' ? stored : undefined, first?.id ?? null)
  }
  return { ...edit, values }
}

/** The JSON text of a value; null for an object or an array without members. */
function jsonOf(value: unknown): string | null {
  return Object.keys(value ?? {}).length === 0 ? null : JSON.stringify(value)
}

/** The rows that edits read and change, and the counters that they change, in an order that is the same for all writes. */
export function locksOf(registry: Registry, edits: readonly Edit[]): Batch['locks'] {
  const named = new Map<string, Set<string>>()
  const name = (type: string, id: string) => named.set(type, (named.get(type) ?? new Set()).add(id))
  for (const { type, change } of edits) {
    if (change.kind !== 'create') {
      name(type, change.id)
    }
    for (const [relationship, sent] of Object.entries(linkageOf(change))) {
      const { target } = storedRelationship(registry.get(type), relationship)
      // What cannot be deleted stays there.
      for (const { id } of registry.get(target).operations.delete ? sent : []) {
        name(target, id)
      }
    }
  }
  const rows = registry.types.flatMap((type) => {
    const { table, id } = registry.get(type).stored
    const ids = named.get(type)
    return ids ? [{ table, id, ids: [...ids] }] : []
  })
  const counted = edits.filter(({ change: { kind } }) => kind === 'create' || kind === 'delete')
  const counters = counted.flatMap(({ type }) => registry.get(type).stored.counter ?? [])
  return { rows, counters: [...new Set(counters)] }
}

/** The statements that count what edits create and delete. */
export function countingOf(db: Database, registry: Registry, edits: readonly Edit[]): Query[] {
  return registry.types.flatMap((type) => {
    const { counter } = registry.get(type).stored
    const kinds = edits.flatMap((edit) => (edit.type === type ? [edit.change.kind] : []))
    const by = kinds.filter((kind) => kind === 'create').length - deletesIn(kinds)
    return counter === undefined || by === 0
      ? []
      : [
          db
            .update(counters)
            .set({ value: sql`${counters.value} + ${by}` })
            .where(eq(counters.name, counter)),
        ]
  })
}

function deletesIn(kinds: readonly string[]): number {
  return kinds.filter((kind) => kind === 'delete').length
}

/** The plain statements that make an edit. */
export function statementsOf(
  db: Database,
  definition: ResourceDefinition,
  { change, values }: SealedEdit,
): Query[] {
  const { table, id } = definition.stored
  const isOwn = eq(id, change.id)
  if (change.kind === 'delete') {
    return [db.delete(table).where(isOwn)]
  }
  const linkage = Object.entries(linkageOf(change)).flatMap(([name, sent]) => {
    const relationship = storedRelationship(definition, name)
    return relationship.cardinality === 'one'
      ? []
      : statementsOfMembers(db, relationship, change.id, change.kind, sent)
  })
  const row =
    change.kind === 'create'
      ? db.insert(table).values(values)
      : db.update(table).set(values).where(isOwn)
  return [row, ...linkage]
}

/** D1 allows 100 parameters in a statement. */
const maxParameters = 100

function statementsOfMembers(
  db: Database,
  relationship: ToMany,
  id: string,
  kind: Exclude<Edit['change']['kind'], 'delete'>,
  sent: readonly Identifier[],
): Query[] {
  const { table, owner, target } = relationship.stored
  const metas = metaColumns(relationship)
  const distinct = [...new Map(sent.map((one) => [one.id, one])).values()]
  const isSent = among(
    target,
    sql.param(
      listOf(
        target,
        distinct.map((one) => one.id),
      ),
    ),
  )
  const isOwn = eq(owner, id)
  if (kind === 'remove') {
    return [db.delete(table).where(and(isOwn, isSent))]
  }
  const rows = distinct.map((one) => ({
    [propertyOf(table, owner)]: id,
    [propertyOf(table, target)]: one.id,
    ...Object.fromEntries(
      metas.map(([name, column]) => [propertyOf(table, column), one.meta?.[name]]),
    ),
  }))
  const inserts = chunks(rows, Math.floor(maxParameters / (2 + metas.length))).map((some) => {
    const insert = db.insert(table).values(some)
    return metas.length === 0
      ? insert.onConflictDoNothing()
      : insert.onConflictDoUpdate({ target: [owner, target], set: newMeta(table, metas) })
  })
  const replaces = kind === 'update' || kind === 'replace'
  return [...(replaces ? [db.delete(table).where(and(isOwn, not(isSent)))] : []), ...inserts]
}

/** What a member that is there already takes over from the one that is sent. */
function newMeta(
  table: SQLiteTable,
  metas: readonly (readonly [name: string, column: SQLiteColumn])[],
): Record<string, SQL> {
  return Object.fromEntries(
    metas.map(([, column]) => [
      propertyOf(table, column),
      sql`excluded.${sql.identifier(column.name)}`,
    ]),
  )
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** A condition as an expression that is true where it holds. */
export function expressionOf(db: Database, registry: Registry, condition: Condition): SQL {
  switch (condition.kind) {
    case 'row': {
      const { table, id, owner, revision } = registry.get(condition.type).stored
      const { expected } = condition
      return exists(
        db
          .select({ one: sql`1` })
          .from(table)
          .where(
            and(
              eq(id, condition.id),
              owner && condition.owner !== null ? eq(owner, condition.owner) : undefined,
              revision && expected && among(revision, sql.param(listOf(revision, expected))),
            ),
          ),
      )
    }
    case 'links':
      return sql`${linksTo(db, registry, condition)} <= ${condition.max}`
    case 'targets': {
      const { table, id } = registry.get(condition.target).stored
      const asked = among(id, sql.param(listOf(id, condition.ids)))
      return condition.gone.length > 0
        ? sql`1 = 0`
        : sql`${db.$count(table, asked)} = ${condition.ids.length}`
    }
    case 'unique':
      return condition.isTaken
        ? sql`1 = 0`
        : not(exists(holderOf(db, registry.get(condition.type), condition)))
    case 'owned':
      return sql`${ownedBy(db, registry.get(condition.type), condition)} <= ${condition.max}`
    case 'members': {
      const relationship = toManyOf(registry, condition)
      const { table, owner, target } = relationship.stored
      const added = among(target, sql.param(listOf(target, condition.added)))
      const present = db.$count(table, and(eq(owner, condition.id), added))
      return sql`(${othersOf(db, relationship, condition)} <= ${condition.max} or ${present} = ${condition.added.length})`
    }
    case 'never':
      return sql`1 = 0`
  }
}

/** Selects a row that holds a unique value. */
function holderOf(
  db: Database,
  definition: ResourceDefinition,
  { attribute, value, except }: Extract<Condition, { kind: 'unique' }>,
) {
  const { table, id } = definition.stored
  const isOther = not(among(id, sql.param(listOf(id, except))))
  return db
    .select({ id })
    .from(table)
    .where(and(eq(keyColumn(definition, attribute), value), isOther))
}

/** The number of rows that a person owns, counted up to one above the bound. */
function ownedBy(
  db: Database,
  { stored: { table, id, owner } }: ResourceDefinition,
  { owner: person, except, max }: Extract<Condition, { kind: 'owned' }>,
): SQL {
  const isOwn = owner && eq(owner, person)
  const isOther = except.length > 0 ? not(among(id, sql.param(listOf(id, except)))) : undefined
  return countUpTo(db, table, and(isOwn, isOther), max + 1)
}

/** The number of members besides the named ones, counted up to one above the bound. */
function othersOf(
  db: Database,
  { stored: { table, owner, target } }: ToMany,
  { id, named, max }: Extract<Condition, { kind: 'members' }>,
): SQL {
  const isOther = not(among(target, sql.param(listOf(target, named))))
  return countUpTo(db, table, and(eq(owner, id), isOther), Math.max(max, 0) + 1)
}

/** The number of members of relationships that point at a resource, each relationship counted up to one above the bound. */
function linksTo(
  db: Database,
  registry: Registry,
  { type, id, max }: Extract<Condition, { kind: 'links' }>,
): SQL {
  const counts = registry.types
    .flatMap((each) => Object.values(registry.get(each).relationships))
    .flatMap((relationship) =>
      relationship.cardinality === 'many' && relationship.target === type
        ? [countUpTo(db, relationship.stored.table, eq(relationship.stored.target, id), max + 1)]
        : [],
    )
  return counts.length === 0 ? sql`0` : sql`(${sql.join(counts, sql` + `)})`
}

/** The number of rows, of which no more than `max` are read. */
function countUpTo(db: Database, table: SQLiteTable, where: SQL | undefined, max: number): SQL {
  const few = db
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(where)
    .limit(sql.raw(String(max)) as unknown as number)
    .as('few')
  return sql`(select count(*) from ${few})`
}

function toManyOf(
  registry: Registry,
  { type, relationship }: Extract<Condition, { kind: 'members' }>,
): ToMany {
  const stored = storedRelationship(registry.get(type), relationship)
  if (stored.cardinality !== 'many') {
    throw new Error(`${type}.${relationship} is no to-many relationship`)
  }
  return stored
}
