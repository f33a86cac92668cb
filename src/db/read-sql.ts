import { type SQL, sql } from 'drizzle-orm'
import { linkageLimit, type PlanEdge, type ReadPlan } from '../jsonapi/run/plan.ts'
import {
  type Column,
  idColumn,
  memberColumns,
  ownedColumn,
  recordColumns,
  revisionColumns,
  sortColumns,
  totalColumn,
} from './columns.ts'
import { membersOf, oneId, pageOf, type ReadValues, totalOf } from './page-sql.ts'
import { type StoredDefinition, type StoredRegistry, storedRelationship } from './source.ts'
import { all, at, bare, commas, compile, each, nameOf, param, type Statement } from './statement.ts'

/** What a row of a result holds. `owner`: the resource that has the relationship which a page is read through. */
type Kind = 'record' | 'member' | 'owner' | 'total' | 'related'

/** The rows of one kind in the result of a read. */
export interface Rows {
  readonly kind: Kind
  /** The type of the resources. */
  readonly type: string
  readonly columns: readonly Column[]
}

/** A part of a statement: rows of one kind, and the query that gives them. */
interface Part extends Rows {
  /** Makes the query that selects the columns. */
  readonly query: (columns: SQL) => SQL
  /** The name of the part's table in WITH, under which other parts read from it. */
  readonly name?: 'page' | 'members'
}

/** A statement and its kinds of rows. Each row begins with the index of its kind, and the columns of the kind follow. */
export interface ReadStatement {
  readonly statement: Statement<ReadValues>
  readonly rows: readonly Rows[]
}

/** A text that sorts after every id: ids hold unreserved characters of URLs only, all of which sort before DEL. */
const afterEveryId = sql.raw('char(127)')

/**
 * The one statement of a whole read: the page or the members of a relationship, the linkage inside each resource, the total,
 * and related resources.
 *
 * @param alongside the edges of the plan whose related resources this statement reads
 */
export function readStatement(
  registry: StoredRegistry,
  plan: ReadPlan,
  alongside: readonly PlanEdge[] = plan.alongside,
): ReadStatement {
  const parts = [
    ...primaryParts(registry, plan),
    ...alongside.map((edge) => relatedPart(registry, plan, edge)),
  ]
  const [only] = parts
  return {
    statement: compile(only && parts.length === 1 ? alone(only) : together(parts, alongside)),
    rows: parts.map(({ kind, type, columns }) => ({ kind, type, columns })),
  }
}

/** The statement of a single part. It is no union, because SQLite takes a fifth longer to prepare one. */
function alone({ columns, query }: Part): SQL {
  const named = columns.map((column, index) => sql`${column.sql} AS ${nameAt(index)}`)
  return query(commas([sql`0 AS slot`, ...named]))
}

/** The statement of several parts as one union, in which each row has as many columns as the widest part. */
function together(parts: readonly Part[], alongside: readonly PlanEdge[]): SQL {
  const width = Math.max(...parts.map(({ columns }) => columns.length))
  const places = Array.from({ length: width }, (_, index) => index)
  const padded = ({ columns }: Part): SQL[] =>
    places.map((index) => columns[index]?.sql ?? sql`NULL`)
  const names = commas(places.map(nameAt))
  const tables = parts.flatMap((part) => {
    const isShared = part.name === 'members' || alongside.length > 0
    const hint = isShared ? sql`MATERIALIZED ` : sql``
    return part.name
      ? [sql`${sql.raw(part.name)}(${names}) AS ${hint}(${part.query(commas(padded(part)))})`]
      : []
  })
  const branches = parts.map((part, index) => {
    const slot = sql.raw(index === 0 ? '0 AS slot' : String(index))
    const table = part.name && sql.raw(part.name)
    return table
      ? sql`SELECT ${slot}, ${table}.* FROM ${table}`
      : part.query(commas([slot, ...padded(part)]))
  })
  return sql`WITH ${commas(tables)} ${sql.join(branches, sql` UNION ALL `)}`
}

/** The parts of the primary data: a page with its total, resources by id, or a resource with members of a relationship. */
function primaryParts(registry: StoredRegistry, { type, from, show, members }: ReadPlan): Part[] {
  const definition = registry.get(type)
  const page = { kind: 'record', type, name: 'page' } as const
  switch (from.kind) {
    case 'linkage': {
      const { relationship, sort } = from
      const target = registry.get(storedRelationship(definition, relationship).target)
      return [
        {
          ...page,
          columns: [
            idColumn(at('p', definition.stored.id)),
            ownedColumn('p', definition),
            ...revisionColumns('p', definition),
          ],
          query: (columns) => itemOf(definition, columns),
        },
        {
          kind: 'member',
          type,
          name: 'members',
          columns: [...memberColumns(definition, relationship), ...sortColumns(target, sort)],
          query: (columns) => membersOf(definition, relationship, target, from, columns, false),
        },
      ]
    }
    case 'ids':
      return [
        {
          ...page,
          columns: [
            ...recordColumns('p', definition, show, members),
            ...(from.many ? [] : revisionColumns('p', definition)),
          ],
          query: (columns) =>
            from.many ? itemsOf(definition, columns) : itemOf(definition, columns),
        },
      ]
    case 'page': {
      if (from.of) {
        const { type: ownerType, relationship } = from.of
        const owner = registry.get(ownerType)
        return [
          {
            ...page,
            columns: [
              ...recordColumns('p', definition, show, members),
              ...sortColumns(definition, from.sort),
            ],
            query: (columns) => membersOf(owner, relationship, definition, from, columns, true),
          },
          {
            kind: 'owner',
            type: ownerType,
            columns: [idColumn(at('p', owner.stored.id))],
            query: (columns) => itemOf(owner, columns),
          },
        ]
      }
      const total = from.total ? [totalColumn(totalOf(definition, from.filter))] : []
      // Each row of a first page holds the total. A later page may have no rows, so that its total is a part of its own.
      const isFirst = !from.offset && !from.after
      const columns = [
        ...recordColumns('p', definition, show, members),
        ...sortColumns(definition, from.sort),
        ...(isFirst ? total : []),
      ]
      const rows: Part = {
        ...page,
        columns,
        query: (selected) => pageOf(definition, from, selected),
      }
      return isFirst || total.length === 0
        ? [rows]
        : [
            rows,
            { kind: 'total', type, columns: total, query: (selected) => sql`SELECT ${selected}` },
          ]
    }
  }
}

/** The part of the related resources of one edge. */
function relatedPart(
  registry: StoredRegistry,
  plan: ReadPlan,
  { relationship, target, show }: PlanEdge,
): Part {
  const { stored } = registry.get(target)
  const isLinkage = plan.from.kind === 'linkage'
  const ids = isLinkage
    ? sql`SELECT c0 AS id FROM members LIMIT ${param<ReadValues>('shown')}`
    : idsOf(registry.get(plan.type), relationship)
  // The page has one row more than is shown. That row is not in the answer, so that it may be a related resource.
  const onPage = sql`SELECT c0 FROM page LIMIT ${param<ReadValues>('shown')}`
  const isElsewhere = sql`${at('t', stored.id)} NOT IN (${onPage})`
  return {
    kind: 'related',
    type: target,
    columns: recordColumns('t', registry.get(target), show, plan.members),
    query: (columns) =>
      sql`SELECT ${columns} FROM (${ids}) AS w
        CROSS JOIN ${nameOf(stored.table)} AS t ON ${at('t', stored.id)} = w.id
        WHERE ${isLinkage || target !== plan.type ? all([]) : isElsewhere}`,
  }
}

/** The query of the ids in the linkage that the page shows. */
function idsOf(definition: StoredDefinition, name: string): SQL {
  const source = definition.stored
  const { cardinality, stored } = storedRelationship(definition, name)
  const page = sql`(SELECT c0 AS id FROM page LIMIT ${param<ReadValues>('shown')}) AS p`
  if (cardinality === 'one') {
    return sql`SELECT DISTINCT ${at('s', stored)} AS id FROM ${page}
      CROSS JOIN ${nameOf(source.table)} AS s ON ${at('s', source.id)} = p.id`
  }
  const last = sql`SELECT ${bare(stored.target)} FROM ${nameOf(stored.table)}
    WHERE ${bare(stored.owner)} = p.id ORDER BY ${bare(stored.target)}
    LIMIT 1 OFFSET ${sql.raw(String(linkageLimit - 1))}`
  return sql`SELECT DISTINCT ${at('l', stored.target)} AS id FROM ${page}
    CROSS JOIN ${nameOf(stored.table)} AS l ON ${at('l', stored.owner)} = p.id
    AND ${at('l', stored.target)} <= coalesce((${last}), ${afterEveryId})`
}

function itemOf({ stored }: StoredDefinition, columns: SQL): SQL {
  return sql`SELECT ${columns} FROM ${nameOf(stored.table)} AS p WHERE ${at('p', stored.id)} = ${oneId}`
}

function itemsOf({ stored }: StoredDefinition, columns: SQL): SQL {
  const wanted = each<ReadValues>('ids')
  return sql`SELECT ${columns} FROM ${wanted} AS w
    CROSS JOIN ${nameOf(stored.table)} AS p ON ${at('p', stored.id)} = w.value`
}

function nameAt(index: number): SQL {
  return sql.raw(`c${index}`)
}
