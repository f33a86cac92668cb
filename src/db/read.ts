import { fillPlaceholders, type SQLWrapper, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  type Connection,
  type Database,
  listOf,
  type Query,
  type Row,
  type Rows,
  runAll,
  type Statement,
} from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { Found, From, Read } from '../jsonapi/run/store.ts'
import { putBounded } from '../lib/kept.ts'
import {
  type Cell,
  type Collected,
  type Context,
  cellsOf,
  memberParts,
  recordOf,
  revisionCells,
} from './cells.ts'
import type { Cipher } from './cipher.ts'
import { type At, firstOf, type Paging, pageValues, textOf, type Values } from './page.ts'
import {
  collectionQuery,
  main,
  membersQuery,
  type Page,
  resourcesQuery,
  type Select,
  totalQuery,
} from './select.ts'
import { keyColumn, storedRelationship } from './stored.ts'

type LinkagePage = From & { readonly kind: 'linkage' }

/** What a read finds, but for the related resources. */
type Decoded = Omit<Found, 'related'>

/** The queries of all reads of one shape, and how their rows are decoded. */
interface Shape {
  readonly queries: readonly Select[]
  readonly decode: (read: Read, results: readonly (readonly Row[])[], into: Collected) => Decoded
}

/** A shape whose queries are texts. */
interface Kept extends Pick<Shape, 'decode'> {
  readonly statements: readonly Statement[]
}

/** How many shapes are kept. Fields are selected in many combinations, so that the oldest are dropped. */
const maxKept = 500

const kept = new WeakMap<Registry, Map<string, Kept>>()

/** Runs reads in one round trip. The text of a statement is made once for all reads of its shape. */
export async function readAll(
  { db, call }: Connection,
  registry: Registry,
  cipher: Cipher,
  reads: readonly Read[],
): Promise<Found[]> {
  const shapes = reads.map((read) => keptFor(db, registry, read))
  const statements = shapes.flatMap((shape, index) => {
    const values = valuesOf(registry, reads[index] as Read)
    return shape.statements.map(({ sql, params }) => ({
      sql,
      params: fillPlaceholders(params, values),
    }))
  })
  const results = await call(() => runAll(db, statements))
  return Promise.all(
    shapes.map(({ statements, decode }, index) =>
      found(decode, cipher, reads[index] as Read, results.splice(0, statements.length)),
    ),
  )
}

/** The queries of a read with its values, and the function that makes what it finds of their rows. */
export function planOf(
  db: Database,
  registry: Registry,
  cipher: Cipher,
  read: Read,
): { readonly queries: readonly Query[]; decode(results: readonly Rows[]): Promise<Found> } {
  const values = valuesOf(registry, read)
  const { queries, decode } = shapeOf(db, registry, read, (name, column) =>
    sql.param(values[name], column),
  )
  return {
    queries,
    decode: (results) =>
      found(
        decode,
        cipher,
        read,
        results.map((rows) => rows.map(Object.values)),
      ),
  }
}

async function found(
  decode: Shape['decode'],
  cipher: Cipher,
  read: Read,
  results: readonly (readonly Row[])[],
): Promise<Found> {
  const collected: Collected = { cipher, related: new Map(), decrypting: [] }
  const decoded = decode(read, results, collected)
  if (collected.decrypting.length > 0) {
    await Promise.all(collected.decrypting)
  }
  return { ...decoded, related: [...collected.related.values()] }
}

function keptFor(db: Database, registry: Registry, read: Read): Kept {
  const all = kept.get(registry) ?? new Map<string, Kept>()
  kept.set(registry, all)
  const key = shapeKey(read)
  const known = all.get(key)
  if (known) {
    return known
  }
  const { queries, decode } = shapeOf(db, registry, read, (name, column) =>
    sql.param(sql.placeholder(name), column),
  )
  const made = { statements: queries.map((query) => query.toSQL()), decode }
  putBounded(all, key, made, maxKept)
  return made
}

/** A text that is equal for reads of one shape: all of a read but the values that are bound. */
function shapeKey({ from, viewer: _, ...read }: Read): string {
  if (from.kind === 'ids') {
    return JSON.stringify({ ...read, isOne: from.ids.length === 1 })
  }
  const { filter, after, limit, ...rest } = from
  const bound = { id: undefined, filter: Object.keys(filter), after: after !== undefined }
  return JSON.stringify(
    rest.kind === 'linkage'
      ? { ...read, ...rest, ...bound }
      : { ...read, ...rest, ...bound, of: { ...rest.of, id: undefined }, offset: rest.offset > 0 },
  )
}

function valuesOf(registry: Registry, { type, from, viewer }: Read): Values {
  const definition = registry.get(type)
  if (from.kind === 'ids') {
    return { viewer, id: from.ids[0], ids: listOf(definition.stored.id, from.ids) }
  }
  const compared =
    from.kind === 'linkage'
      ? registry.get(storedRelationship(definition, from.relationship).target)
      : definition
  return { viewer, ...pageValues(compared, from) }
}

function shapeOf(db: Database, registry: Registry, read: Read, at: At): Shape {
  const context = { db, registry, at, allMembers: read.members === 'all' }
  const { from } = read
  switch (from.kind) {
    case 'ids':
      return idsShape(context, read, from.ids.length === 1)
    case 'page':
      return pageShape(context, read, from)
    case 'linkage':
      return linkageShape(context, read, from)
  }
}

const nothing = { records: [], members: [], position: undefined, total: undefined }

/** Resources by their ids. */
function idsShape(context: Context, read: Read, isOne: boolean): Shape {
  const definition = context.registry.get(read.type)
  const cells = [
    ...cellsOf(context, definition, main, read.show, edgesOf(context, read)),
    ...(isOne ? revisionCells(definition, main) : []),
  ]
  return {
    queries: [resourcesQuery(context, definition, selectedBy(cells), isOne)],
    decode: ({ type }, [rows = []], into) => ({
      ...nothing,
      records: rows.map((row) => recordOf(type, cells, row, into)),
    }),
  }
}

/** A page of a collection with its total, or of related resources with the resource that has the relationship. */
function pageShape(context: Context, read: Read, from: Page): Shape {
  const definition = context.registry.get(read.type)
  const cells = cellsOf(context, definition, main, read.show, edgesOf(context, read))
  const keys = keysOf(definition, from)
  return {
    queries: from.of
      ? relatedQueries(context, definition, from, from.of, selectedBy(cells))
      : collectionQueries(context, definition, from, selectedBy(cells)),
    decode: ({ type, from }, [rows = [], others = rows], into) => {
      const page = from as Page
      const { shown, position } = pageIn(page, rows, keys, 1)
      const records = shown.map((row) => recordOf(type, cells, row, into, 1 + keys.length))
      return page.of
        ? { ...nothing, records, position, isOrphan: others.length === 0 }
        : {
            ...nothing,
            records,
            position,
            total: page.total ? Number(others[0]?.at(-1) ?? 0) : undefined,
          }
    },
  }
}

/** Each row of a first page holds the total, and no rows mean that it is 0. */
function collectionQueries(
  context: Context,
  definition: ResourceDefinition,
  from: Page,
  selected: readonly SQLWrapper[],
): Select[] {
  if (!from.total) {
    return [collectionQuery(context, definition, from, selected)]
  }
  const total = totalQuery(context, definition, from.filter)
  return from.offset === 0 && !from.after
    ? [collectionQuery(context, definition, from, [...selected, total])]
    : [collectionQuery(context, definition, from, selected), total]
}

function relatedQueries(
  context: Context,
  definition: ResourceDefinition,
  from: Page,
  of: NonNullable<Page['of']>,
  selected: readonly SQLWrapper[],
): Select[] {
  const owner = context.registry.get(of.type)
  return [
    membersQuery(context, owner, definition, { ...from, ...of }, selected),
    resourcesQuery(context, owner, [owner.stored.id], true),
  ]
}

/** A page of the members of a relationship, and the resource that has it. */
function linkageShape(context: Context, read: Read, from: LinkagePage): Shape {
  const definition = context.registry.get(read.type)
  const relationship = storedRelationship(definition, from.relationship)
  const target = context.registry.get(relationship.target)
  const { columns, memberOf } = memberParts(relationship)
  const keys = keysOf(target, from)
  const edge = edgesOf(context, read).find((each) => each.relationship === from.relationship)
  const included = edge ? cellsOf(context, target, main, edge.show) : []
  const cells = [
    ...cellsOf(context, definition, main, read.show),
    ...revisionCells(definition, main),
  ]
  return {
    queries: [
      resourcesQuery(context, definition, selectedBy(cells), true),
      membersQuery(context, definition, target, from, selectedBy(included), columns),
    ],
    decode: ({ type, from }, [owners = [], rows = []], into) => {
      const { shown, position } = pageIn(from as LinkagePage, rows, keys, columns.length)
      for (const row of edge ? shown : []) {
        const record = recordOf(target.type, included, row, into, columns.length + keys.length)
        into.related.set(record.id, record)
      }
      const records = owners.map((row) => recordOf(type, cells, row, into))
      return { ...nothing, records, members: shown.map(memberOf), position }
    },
  }
}

/** The relationships whose targets are read from the database: reference data are in memory. */
function edgesOf({ registry }: Context, { alongside }: Read): Read['alongside'] {
  return alongside.filter(({ target }) => !registry.get(target).snapshot)
}

function selectedBy(cells: readonly Cell[]): SQLWrapper[] {
  return cells.map(({ selected }) => selected)
}

function keysOf(definition: ResourceDefinition, { sort }: Paging): SQLiteColumn[] {
  return sort.map(({ field }) => keyColumn(definition, field))
}

/** The rows that a page shows, and the position of the last one where others follow. Keys begin at `start`, and the id comes first. */
function pageIn(
  { limit }: Paging,
  rows: readonly Row[],
  keys: readonly SQLiteColumn[],
  start: number,
) {
  const { shown, more } = firstOf(rows, limit)
  const last = more ? shown.at(-1) : undefined
  const textAt = (key: SQLiteColumn, index: number) =>
    textOf(key.mapFromDriverValue(last?.[start + index]))
  return { shown, position: last && [...keys.map(textAt), String(last[0])] }
}
