import { type SQL, sql } from 'drizzle-orm'
import { asColumn, join, ordered } from '#dialect'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { SortKey } from '../jsonapi/request/query.ts'
import { type Found, type From, linkageLimit, type Read } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import type { Connection, Row } from './connection.ts'
import {
  collectionQuery,
  memberQuery,
  orderByNames,
  type ReadValues,
  readValues,
  totalOf,
} from './page.ts'
import {
  type Column,
  foundIn,
  idColumn,
  memberColumns,
  memberReader,
  type Rows,
  recordColumns,
  revisionColumns,
  sortColumns,
} from './rows.ts'
import { storedRelationship } from './source.ts'
import {
  all,
  at,
  type Bound,
  bare,
  bind,
  commas,
  compile,
  each,
  literal,
  param,
  remembered,
  type Statement,
  tableName,
} from './statement.ts'

/** A read bound to its statement, with the function that turns rows into what the read found. */
export interface BoundRead extends Bound {
  readonly decode: (rows: readonly Row[]) => Promise<Found>
}

/** Runs reads in one round trip, or in none where there are none. */
export async function runReads(run: Connection, reads: readonly BoundRead[]): Promise<Found[]> {
  const results = reads.length > 0 ? await run(reads) : []
  const found: Found[] = []
  for (const [index, { decode }] of reads.entries()) {
    found.push(await decode(results[index] ?? []))
  }
  return found
}

/** Makes the function that binds reads to their statements. A statement is compiled once for all reads of one shape. */
export function readBinder(registry: Registry, cipher: Cipher): (read: Read) => BoundRead {
  const statements = remembered<ReadStatement>()
  return (read) => {
    const { statement, kinds } = statements(shapeOf(read), () => readStatement(registry, read))
    return {
      ...bind(statement, readValues(registry, read)),
      decode: (rows) => foundIn(cipher, kinds, read, rows),
    }
  }
}

/**
 * A text that is equal for reads with the same statement. It leaves out what is bound to parameters, and nothing else, so that a
 * member which is added to reads later is in it, too.
 */
function shapeOf(read: Read): string {
  return JSON.stringify({ ...read, viewer: undefined, from: withoutValues(read.from) })
}

function withoutValues(from: From): object {
  if (from.kind === 'ids') {
    return { ...from, ids: from.ids.length === 1 }
  }
  const { filter, after } = from
  const page = {
    ...from,
    filter: Object.keys(filter),
    after: after !== undefined,
    limit: undefined,
  }
  return from.kind === 'linkage'
    ? { ...page, id: undefined }
    : { ...page, of: from.of && { ...from.of, id: undefined }, offset: from.offset > 0 }
}

/** The statement of a read, and its kinds of rows. */
interface ReadStatement {
  readonly statement: Statement<ReadValues>
  readonly kinds: readonly Rows[]
}

/** A part of a statement: rows of one kind, and the query that gives them. */
interface Part extends Rows {
  /** Makes the query that selects the columns. */
  readonly query: (columns: SQL) => SQL
  /** The name of the part's table in WITH, under which other parts read from it. */
  readonly name?: 'page' | 'members'
  /** The order of the rows by the names of the columns; absent where there is one row, or nobody needs an order. */
  readonly order?: SQL
}

/** A text that sorts after every id: ids hold unreserved characters of URLs only, all of which sort before DEL. */
const afterEveryId = literal('\u007F')

/**
 * The one statement of a whole read: the page or the members of a relationship, the linkage inside each resource, the total,
 * and the related resources that are not in memory.
 */
export function readStatement(registry: Registry, read: Read): ReadStatement {
  const primary = primaryParts(registry, read)
  const order = primary.find((part) => part.order)?.order ?? sql``
  const related = read.alongside
    .filter(({ target }) => !registry.get(target).snapshot)
    .map((edge) => relatedPart(registry, read, edge, order))
  const parts = [...primary, ...related]
  const [only] = parts
  const isShared = related.length > 0
  return {
    statement: compile(only && parts.length === 1 ? alone(only) : together(parts, isShared, order)),
    // The queries stay behind: they hold the values of this read, and a statement is kept for all reads of its shape.
    kinds: parts.map(({ kind, type, columns, memberOf }) => ({
      kind,
      type,
      columns,
      ...(memberOf && { memberOf }),
    })),
  }
}

/** The statement of a single part. It reads from no table in WITH: to prepare and run such a statement takes SQLite a third longer. */
function alone({ columns, query }: Part): SQL {
  return query(commas([sql`0 AS slot`, ...named(columns, columns.length)]))
}

/** The columns with their names. Those that are missing are NULL. */
function named(columns: readonly Column[], width: number): SQL[] {
  return Array.from(
    { length: width },
    (_, index) => sql`${columns[index]?.sql ?? sql`NULL`} AS ${nameAt(index)}`,
  )
}

/**
 * The statement of several parts as one union, in which each row has as many columns as the widest part.
 *
 * @param isShared does one part read from the table of another?
 * @param order of the part with several rows
 */
function together(parts: readonly Part[], isShared: boolean, order: SQL): SQL {
  const width = Math.max(...parts.map(({ columns }) => columns.length))
  const tables = parts.flatMap((part) => {
    const hint = part.name === 'members' || isShared ? sql`MATERIALIZED ` : sql``
    return part.name
      ? [sql`${sql.raw(part.name)} AS ${hint}(${part.query(commas(named(part.columns, width)))})`]
      : []
  })
  const branches = parts.map((part, index) => {
    const slot = sql.raw(index === 0 ? '0 AS slot' : String(index))
    const table = part.name && sql.raw(part.name)
    return table
      ? sql`SELECT ${slot}, ${table}.* FROM ${table}`
      : part.query(commas([slot, ...named(part.columns, width)]))
  })
  return sql`WITH ${commas(tables)} ${sql.join(branches, sql` UNION ALL `)}${ordered(order)}`
}

/** The parts of the primary data: a page with its total, resources by id, or a resource with members of a relationship. */
function primaryParts(registry: Registry, { type, from, show, members }: Read): Part[] {
  const definition = registry.get(type)
  const shown = recordColumns('p', definition, show, mostOf(members))
  const page = { kind: 'record', type, name: 'page' } as const
  if (from.kind === 'ids') {
    return from.ids.length === 1
      ? [
          {
            ...page,
            columns: [...shown, ...revisionColumns('p', definition)],
            query: (columns) => oneOf(definition, columns),
          },
        ]
      : [{ ...page, columns: shown, query: (columns) => severalOf(definition, columns) }]
  }
  if (from.kind === 'linkage') {
    const relationship = storedRelationship(definition, from.relationship)
    const target = registry.get(relationship.target)
    const columns = [...memberColumns(relationship), ...sortColumns(target, from.sort)]
    return [
      {
        ...page,
        columns: [...shown, ...revisionColumns('p', definition)],
        query: (columns) => oneOf(definition, columns),
      },
      {
        kind: 'member',
        type,
        name: 'members',
        columns,
        order: orderOf(target, from.sort, columns),
        memberOf: memberReader(relationship),
        query: (columns) =>
          memberQuery(definition, from.relationship, target, from, columns, false),
      },
    ]
  }
  const columns = [...shown, ...sortColumns(definition, from.sort)]
  const order = orderOf(definition, from.sort, columns)
  if (from.of) {
    const { type, relationship } = from.of
    const owner = registry.get(type)
    return [
      {
        ...page,
        columns,
        order,
        query: (columns) => memberQuery(owner, relationship, definition, from, columns, true),
      },
      {
        kind: 'owner',
        type,
        columns: [idColumn(at('p', owner.stored.id))],
        query: (columns) => oneOf(owner, columns),
      },
    ]
  }
  const query: Part['query'] = (columns) => collectionQuery(definition, from, columns, order)
  if (!from.total) {
    return [{ ...page, columns, order, query }]
  }
  const total: Column = { sql: asColumn(totalOf(definition, from.filter)), tells: 'total' }
  // Each row of a first page holds the total. A later page may have no rows, so that its total is a part of its own.
  return from.offset === 0 && !from.after
    ? [{ ...page, columns: [...columns, total], order, query }]
    : [
        { ...page, columns, order, query },
        { kind: 'total', type, columns: [total], query: (columns) => sql`SELECT ${columns}` },
      ]
}

/** The order of a page or of members, whose id is the first column. */
function orderOf(
  definition: ResourceDefinition,
  sort: readonly SortKey[],
  columns: readonly Column[],
): SQL {
  const keys = columns.flatMap(({ tells }, index) => (tells === 'key' ? [nameAt(index)] : []))
  return orderByNames(definition, sort, nameAt(0), keys)
}

/** The most members of each to-many relationship that a read shows. */
function mostOf(members: Read['members']): number | undefined {
  return members === 'all' ? undefined : linkageLimit
}

/**
 * The part of the related resources of one edge.
 *
 * @param order of the rows of the table `page` or `members`
 */
function relatedPart(
  registry: Registry,
  { type, from, members }: Read,
  { relationship, target, show }: Read['alongside'][number],
  order: SQL,
): Part {
  const { stored } = registry.get(target)
  const isLinkage = from.kind === 'linkage'
  const ids = isLinkage
    ? shownIn('members', order)
    : linkedIds(registry.get(type), relationship, order)
  const isElsewhere = sql`${at('t', stored.id)} NOT IN (${shownIn('page', order)})`
  return {
    kind: 'related',
    type: target,
    columns: recordColumns('t', registry.get(target), show, mostOf(members)),
    query: (columns) =>
      sql`SELECT ${columns} FROM (${ids}) AS w
        ${join} ${tableName(stored.table)} AS t ON ${at('t', stored.id)} = w.id
        WHERE ${isLinkage || target !== type ? all([]) : isElsewhere}`,
  }
}

/** The query of the ids in a table that are in the answer: it has one row more, which may be a related resource, too. */
function shownIn(table: 'page' | 'members', order: SQL): SQL {
  return sql`SELECT c0 AS id FROM ${sql.raw(table)}${ordered(order)} LIMIT ${param<ReadValues>('shown')}`
}

/** The query of the ids in the linkage that the page shows. */
function linkedIds(definition: ResourceDefinition, name: string, order: SQL): SQL {
  const source = definition.stored
  const { cardinality, stored } = storedRelationship(definition, name)
  const page = sql`(${shownIn('page', order)}) AS p`
  if (cardinality === 'one') {
    return sql`SELECT DISTINCT ${at('s', stored)} AS id FROM ${page}
      ${join} ${tableName(source.table)} AS s ON ${at('s', source.id)} = p.id`
  }
  const last = sql`SELECT ${bare(stored.target)} FROM ${tableName(stored.table)}
    WHERE ${bare(stored.owner)} = p.id ORDER BY ${bare(stored.target)}
    LIMIT 1 OFFSET ${literal(linkageLimit - 1)}`
  return sql`SELECT DISTINCT ${at('l', stored.target)} AS id FROM ${page}
    ${join} ${tableName(stored.table)} AS l ON ${at('l', stored.owner)} = p.id
    AND ${at('l', stored.target)} <= coalesce((${last}), ${afterEveryId})`
}

function oneOf({ stored }: ResourceDefinition, columns: SQL): SQL {
  return sql`SELECT ${columns} FROM ${tableName(stored.table)} AS p WHERE ${at('p', stored.id)} = ${param<ReadValues>('id')}`
}

function severalOf({ stored }: ResourceDefinition, columns: SQL): SQL {
  return sql`SELECT ${columns} FROM ${each<ReadValues>('ids')} AS w
    ${join} ${tableName(stored.table)} AS p ON ${at('p', stored.id)} = w.value`
}

function nameAt(index: number): SQL {
  return sql.raw(`c${index}`)
}
