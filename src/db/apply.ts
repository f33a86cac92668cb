import { and, eq, getTableColumns, not, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  among,
  type Batch,
  type Connection,
  db,
  type LockedRows,
  type Query,
  type Rows,
  type Statement,
} from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { Identifier } from '../jsonapi/json.ts'
import type { Edit, Found, Outcome } from '../jsonapi/run/port.ts'
import type { Cipher } from '../lib/key-ring.ts'
import { type Condition, idsOf, membersOf, type Quotas, uniqueValues } from './conditions.ts'
import { counters, rowsOfCounter } from './counters.ts'
import { prepare } from './read.ts'
import {
  columnValue,
  isComputed,
  keyValue,
  sealContext,
  storedMembers,
  storedRelationship,
} from './stored.ts'

/** What a guard adds to a write: a condition that is checked first, and statements of the same transaction. */
export interface GuardParts {
  readonly condition: SQL
  readonly queries: readonly Query[]
  /** Asks for the earlier write, after the condition did not hold. */
  readonly question: Query
  /** Turns the answer to the question into an outcome. Undefined if there was no earlier write. */
  readonly used: (rows: Rows) => Outcome | undefined
}

/** What a write needs to run. */
export interface Writing {
  readonly connection: Connection
  /** Replaces the connection by one that sees the newest state. The calls of both are counted together. */
  readonly reconnect: () => Connection
  readonly registry: Registry
  readonly cipher: Cipher
  readonly quotas: Quotas
  readonly guard?: GuardParts | undefined
}

/** A column and the value that it gets. The column is undefined if the type has none. */
type Assignment = readonly [column: SQLiteColumn | undefined, value: unknown]

/** The values of columns, by the names of the columns in the declaration of the table. */
function assign(table: SQLiteTable, assignments: readonly Assignment[]): Record<string, unknown> {
  const entries = Object.entries(getTableColumns(table)).flatMap(([property, { name }]) =>
    assignments.flatMap(([column, value]) => (column?.name === name ? [[property, value]] : [])),
  )
  return Object.fromEntries(entries)
}

/** The values that an edit writes to the row of its resource. */
async function rowOf(
  definition: ResourceDefinition,
  cipher: Cipher,
  { type, id, kind, owner, revision, attributes, relationships }: Edit,
): Promise<Record<string, unknown>> {
  const { stored } = definition
  const assignments: Assignment[] = [[stored.revision, revision]]
  if (kind === 'create') {
    assignments.push([stored.id, id], [stored.owner, owner])
  }
  // A create also writes the sort keys of attributes that were not sent, and the values that the server sets.
  for (const [name, { stored }] of Object.entries(definition.attributes)) {
    if (isComputed(stored) || (kind !== 'create' && !(name in attributes))) {
      continue
    }
    const { as, column, key } = stored
    const value = (name in attributes ? attributes[name] : column.defaultFn?.()) ?? null
    const text = typeof value === 'string' ? value : null
    let held = text === null ? value : columnValue(column, text)
    // The default of a column is JSON text already.
    if (as === 'json' && text === null) {
      held = Object.keys(value ?? {}).length === 0 ? null : JSON.stringify(value)
    } else if (as === 'sealed' && text !== null) {
      held = await cipher.encrypt(text, sealContext(type, id, name))
    }
    const sorted = text === null ? '' : keyValue(definition, name, text)
    assignments.push([column, held], [key, sorted])
  }
  for (const [name, [first]] of Object.entries(relationships)) {
    const { cardinality, stored } = storedRelationship(definition, name)
    assignments.push([cardinality === 'one' ? stored : undefined, first?.id ?? null])
  }
  return assign(stored.table, assignments)
}

/**
 * The batch that makes edits, unless a condition does not hold.
 *
 * @returns the batch, and `foundIn`, which turns its rows into what the reads of the edits have found
 */
export async function batchOf(
  { registry, cipher, guard }: Writing,
  edits: readonly Edit[],
  conditions: readonly Condition[],
) {
  const statements: Statement[] = []
  const add = (queries: readonly Query[]) =>
    statements.push(...queries.map((query) => query.toSQL()))
  const readers: ((results: readonly Rows[]) => Promise<Found[]>)[] = []
  add(guard?.queries ?? [])
  for (const edit of edits) {
    add(await queriesOf(registry.get(edit.type), cipher, edit))
    if (edit.read) {
      const { statements: selects, foundIn } = prepare(registry, cipher, [edit.read])
      const start = statements.length
      const end = statements.push(...selects)
      readers.push((results) => foundIn(results.slice(start, end)))
    }
  }
  // Last, because a transaction of PostgreSQL keeps the row of a counter until its end.
  add(countsOf(registry, edits))
  const expressions = conditions.map((condition) => expressionOf(registry, condition))
  const batch: Batch = {
    owners: ownersOf(registry, edits),
    locks: locksOf(registry, edits, conditions),
    conditions: guard ? [guard.condition, ...expressions] : expressions,
    statements,
  }
  const foundIn = async (results: readonly Rows[]) =>
    (await Promise.all(readers.map((read) => read(results)))).flat()
  return { batch, foundIn }
}

/** The statements that make an edit. */
async function queriesOf(definition: ResourceDefinition, cipher: Cipher, edit: Edit) {
  const { kind, id, relationships } = edit
  const { stored } = definition
  const isOwn = eq(stored.id, id)
  if (kind === 'delete') {
    return [db.delete(stored.table).where(isOwn)]
  }
  const values = await rowOf(definition, cipher, edit)
  const row =
    kind === 'create'
      ? db.insert(stored.table).values(values)
      : db.update(stored.table).set(values).where(isOwn)
  const members = Object.entries(relationships).flatMap(([name, sent]) => {
    const storage = storedMembers(definition, name)
    return storage.isMany ? memberQueries(storage, id, kind, sent) : []
  })
  return [row, ...members]
}

/** [D1 allows](https://developers.cloudflare.com/d1/platform/limits/) 100 parameters in a statement. */
const maxParameters = 100

function memberQueries(
  { table, owner, target, meta: metas }: ReturnType<typeof storedMembers>,
  id: string,
  kind: Edit['kind'],
  sent: readonly Identifier[],
): Query[] {
  const ids = sent.map((one) => one.id)
  if (kind === 'remove') {
    return [db.delete(table).where(and(eq(owner, id), among(target, ids)))]
  }
  const others = db.delete(table).where(and(eq(owner, id), not(among(target, ids))))
  const queries: Query[] = kind === 'update' ? [others] : []
  const rows = sent.map((one) => {
    const meta = metas.map(([name, column]): Assignment => [column, one.meta?.[name]])
    return assign(table, [[owner, id], [target, one.id], ...meta])
  })
  // A member that is there already gets the `meta` that is sent.
  const sentMeta = metas.map(
    ([, column]): Assignment => [column, sql`excluded.${sql.identifier(column.name)}`],
  )
  const size = Math.floor(maxParameters / (2 + metas.length))
  for (let start = 0; start < rows.length; start += size) {
    const insert = db.insert(table).values(rows.slice(start, start + size))
    queries.push(
      metas.length === 0
        ? insert.onConflictDoNothing()
        : insert.onConflictDoUpdate({ target: [owner, target], set: assign(table, sentMeta) }),
    )
  }
  return queries
}

/** The statements that change counters, in the order of their names. Each changes one of the rows of a counter. */
function countsOf(registry: Registry, edits: readonly Edit[]): Query[] {
  const counts = new Map<string, number>()
  for (const { type, kind } of edits) {
    const { counter } = registry.get(type).stored
    if (counter !== undefined && (kind === 'create' || kind === 'delete')) {
      counts.set(counter, (counts.get(counter) ?? 0) + (kind === 'create' ? 1 : -1))
    }
  }
  return [...counts].sort().map(([counter, by]) => {
    const names = rowsOfCounter(counter)
    const name = names[Math.floor(Math.random() * names.length)] as string
    const value = sql`${counters.value} + excluded.value`
    return db
      .insert(counters)
      .values({ name, value: by })
      .onConflictDoUpdate({ target: counters.name, set: { value } })
  })
}

/** The owners of what is created. A create locks its owner, so that the quota holds. */
function ownersOf(registry: Registry, edits: readonly Edit[]): string[] {
  const owners = edits.flatMap(({ type, kind, owner }) =>
    registry.get(type).stored.owner && owner && kind === 'create' ? [owner] : [],
  )
  return [...new Set(owners)].sort()
}

/**
 * The rows that conditions are about, then the members that name what is deleted. All writes lock them in the same order, and as weakly
 * as they can. Otherwise two deletes of relatives could wait for each other: each removes members that name the other.
 */
function locksOf(
  registry: Registry,
  edits: readonly Edit[],
  conditions: readonly Condition[],
): LockedRows[] {
  // Resources without revisions are never written.
  const written = registry.types.map(registry.get).filter(({ stored }) => stored.revision)
  return written.flatMap((definition) => {
    const { type, stored } = definition
    const changesKey = (edit: Edit): boolean =>
      edit.kind === 'delete' || uniqueValues(definition, edit).length > 0
    const own = edits.filter((one) => one.type === type)
    const [changed, keysChanged] = [idsOf(own), idsOf(own.filter(changesKey))]
    const strengthOf = (id: string) =>
      keysChanged.includes(id) ? 'update' : changed.includes(id) ? 'no key update' : 'key share'
    const named = conditions.flatMap((one) =>
      one.kind === 'rows' && one.type === type ? one.ids : [],
    )
    const runs: (LockedRows & { readonly ids: string[] })[] = []
    for (const id of [...new Set(named)].sort()) {
      const strength = strengthOf(id)
      const last = runs.at(-1)
      if (last?.strength === strength) {
        last.ids.push(id)
      } else {
        runs.push({ table: stored.table, columns: [stored.id], ids: [id], strength })
      }
    }
    const ids = idsOf(own.filter(({ kind }) => kind === 'delete'))
    const members = membersOf(registry, type).map(({ table, owner, target }) => {
      return { table, columns: [owner, target], ids, strength: 'update' } as const
    })
    return ids.length === 0 ? runs : [...runs, ...members]
  })
}

/** The SQL expression of a condition. It is true if the condition holds. */
export function expressionOf(registry: Registry, condition: Condition): SQL {
  if (condition.kind === 'never' || (condition.kind === 'rows' && condition.deleted?.length)) {
    return sql`1 = 0`
  }
  if (condition.kind === 'rows') {
    const { type, ids, owner: person, ifMatch, ifNoneMatch } = condition
    const { table, id, owner, revision } = registry.get(type).stored
    const [first, ...others] = ids
    const isMeant = and(
      // One id is compared by `=`, so that the primary key finds its row.
      others.length > 0 ? among(id, ids) : eq(id, first),
      owner && person ? eq(owner, person) : undefined,
      revision && ifMatch && among(revision, ifMatch),
      ifNoneMatch === '*'
        ? sql`1 = 0`
        : revision && ifNoneMatch && not(among(revision, ifNoneMatch)),
    )
    return sql`${db.$count(table, isMeant)} = ${literal(ids.length)}`
  }
  const { max, present } = condition
  const [column, value] = condition.holding
  const [id, except] = condition.besides
  const table = column.table as SQLiteTable
  const has = eq(column, value)
  // Stops at the first row that is too many.
  const few = db
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(and(has, except.length > 0 ? not(among(id, except)) : undefined))
    .limit(literal(Math.max(max, 0) + 1) as SQL & number)
  const isFew = sql`${db.$count(few.as('few'))} <= ${literal(max)}`
  return present
    ? sql`(${isFew} or ${db.$count(table, and(has, among(id, present)))} = ${literal(present.length)})`
    : isFew
}

/** A number that stands in the text of the statement. As parameters, those of many conditions would exceed {@link maxParameters}. */
function literal(number: number): SQL {
  return sql.raw(String(number))
}
