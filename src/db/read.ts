import { eq, fillPlaceholders, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  among,
  type Connection,
  type Database,
  listOf,
  type Row,
  type Rows,
  runAll,
  type Statement,
} from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import { type Found, linkageLimit, onlyId, type Read } from '../jsonapi/run/port.ts'
import { putBounded } from '../lib/cache.ts'
import {
  type At,
  type Cells,
  type Collected,
  type Context,
  cellsOf,
  columnOf,
  fieldsOf,
  firstOf,
} from './cells.ts'
import type { Cipher } from './cipher.ts'
import { main, type Paging, pageQuery, type Select, totalQuery } from './page.ts'
import { columnValue, keyColumn, keyOf, linksOf, storedRelationship, textOf } from './stored.ts'

/** The rows of each query. */
type Results = readonly (readonly Row[])[]

/** The queries of all reads of one shape, and what decodes their rows. Related resources are collected. */
interface Shape {
  readonly queries: readonly Select[]
  readonly decode: (read: Read, results: Results, into: Collected) => Omit<Found, 'related'>
}

/** How many shapes are kept. Fields are selected in many combinations, so that the oldest are dropped. */
const maxKept = 500

/** A shape whose queries are texts. */
type Kept = Pick<Shape, 'decode'> & { readonly statements: readonly Statement[] }

const kept = new WeakMap<Registry, Map<string, Kept>>()

/** Runs reads in one round trip. Reads of the same shape share the text of their statement. */
export async function readAll(
  { db, call }: Connection,
  registry: Registry,
  cipher: Cipher,
  reads: readonly Read[],
): Promise<Found[]> {
  const shapes = reads.map((read) => ({ read, ...keptFor(db, registry, read) }))
  const bound = shapes.flatMap(({ read, statements }) => {
    const values = valuesOf(registry, read)
    return statements.map(({ sql, params }) => ({ sql, params: fillPlaceholders(params, values) }))
  })
  const results = await call(() => runAll(db, bound))
  return Promise.all(
    shapes.map(({ read, statements, decode }) =>
      found(decode, cipher, read, results.splice(0, statements.length)),
    ),
  )
}

/** The queries of a read, their values, and the function that turns their rows into the result. */
export function planOf(db: Database, registry: Registry, cipher: Cipher, read: Read) {
  const values = valuesOf(registry, read)
  const at: At = (name, column) => sql.param(values[name], column)
  const { queries, decode } = shapeOf(db, registry, read, at)
  const valuesIn = (rows: Rows): Row[] => rows.map(Object.values)
  return {
    queries,
    decode: (results: readonly Rows[]) => found(decode, cipher, read, results.map(valuesIn)),
  }
}

async function found(
  decode: Shape['decode'],
  cipher: Cipher,
  read: Read,
  results: Results,
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
  const at: At = (name, column) => sql.param(sql.placeholder(name), column)
  const { queries, decode } = shapeOf(db, registry, read, at)
  const made = { statements: queries.map((query) => query.toSQL()), decode }
  putBounded(all, key, made, maxKept)
  return made
}

/** A text that is equal for reads of one shape: all of a read but the values that are bound. */
function shapeKey({ from, viewer: _, ...read }: Read): string {
  if (from.kind === 'ids') {
    return JSON.stringify({ ...read, isOne: from.ids.length === 1 })
  }
  const bound = { id: undefined, limit: undefined, filter: Object.keys(from.filter) }
  const where =
    from.kind === 'page' ? { of: { ...from.of, id: undefined }, offset: from.offset > 0 } : {}
  return JSON.stringify({ ...read, ...from, ...bound, ...where, after: from.after !== undefined })
}

/** The limit of what shows all rows. */
const everyRow = 2 ** 31 - 2

/** The values of a read by name. */
function valuesOf(registry: Registry, read: Read): Readonly<Record<string, unknown>> {
  const { viewer, from } = read
  const definition = typeOnPage(registry, read)
  if (from.kind === 'ids') {
    return { viewer, id: from.ids[0], ids: listOf(definition.stored.id, from.ids) }
  }
  const { sort, filter, after = [], limit = everyRow } = from
  const byName = Object.entries(filter).map(([field, texts]) => {
    const column = keyColumn(definition, field)
    const keys = texts.map((text) => columnValue(column, keyOf(definition, field, text)))
    return [`filter ${field}`, listOf(column, keys)]
  })
  const behind = after.map((text, index) => {
    const column = keyColumn(definition, sort[index]?.field ?? 'id')
    return [`after ${index}`, columnValue(column, text)]
  })
  return {
    viewer,
    id: from.kind === 'page' ? from.of?.id : from.id,
    offset: from.kind === 'page' ? from.offset : 0,
    // One row more tells whether others follow.
    fetched: limit + 1,
    ...Object.fromEntries([...byName, ...behind]),
  }
}

/** The type of the resources that a read finds: for linkage, that of the members. */
function typeOnPage(registry: Registry, { type, from }: Read): ResourceDefinition {
  const definition = registry.get(type)
  return from.kind === 'linkage'
    ? registry.get(storedRelationship(definition, from.relationship).target)
    : definition
}

function shapeOf(db: Database, registry: Registry, read: Read, at: At): Shape {
  const { type, from } = read
  const maxMembers = read.members === 'all' ? everyRow : linkageLimit
  const context = { db, registry, at, maxMembers }
  switch (from.kind) {
    case 'ids':
      return idsShape(context, read, from.ids.length === 1)
    case 'linkage':
      return membersShape(context, read, from, { ...from, type })
    case 'page':
      return from.of
        ? membersShape(context, read, from, from.of)
        : collectionShape(context, read, from)
  }
}

const nothing = { records: [], members: [], position: undefined, total: undefined }

/** Resources by their ids. */
function idsShape(context: Context, { type, show, alongside }: Read, isOne: boolean): Shape {
  const definition = context.registry.get(type)
  const revision = isOne ? definition.stored.revision : undefined
  const cells = cellsOf(context, definition, main, show, alongside, revision)
  return {
    queries: [resourcesQuery(context, definition, cells, isOne)],
    decode: (_, [rows = []], into) => ({
      ...nothing,
      records: rows.map((row) => cells.decode(row, into)),
    }),
  }
}

/** One resource by its id, or several. */
function resourcesQuery(
  { db, at }: Context,
  { stored: { table, id } }: ResourceDefinition,
  { selected }: Cells,
  isOne: boolean,
): Select {
  const column = columnOf(main, id)
  return db
    .select(fieldsOf(selected))
    .from(alias(table, main))
    .where(isOne ? eq(column, at('id', id)) : among(column, at('ids')))
}

/** A page of a collection, with its total. Each row of a first page holds it, and no rows mean that it is 0. */
function collectionShape(
  context: Context,
  { type, show, alongside }: Read,
  from: Extract<Paging, { kind: 'page' }>,
): Shape {
  const definition = context.registry.get(type)
  const cells = cellsOf(context, definition, main, show, alongside)
  const total = totalQuery(context, definition, from.filter)
  const isFirst = from.offset === 0 && !from.after
  const selected = [...cells.selected, ...(from.total && isFirst ? [total] : [])]
  const page = pageQuery(context, definition, from, selected)
  return {
    queries: from.total && !isFirst ? [page, total] : [page],
    decode: ({ from }, [rows = [], totals = rows], into) => {
      const { shown, position, start } = pageIn(definition, from as Paging, rows, 1)
      const records = shown.map((row) => cells.decode(row, into, start))
      const isTold = from.kind === 'page' && from.total
      const total = isTold ? Number(totals[0]?.at(-1) ?? 0) : undefined
      return { ...nothing, records, position, total }
    },
  }
}

/** A page of the members of a relationship, or of the resources that they are; and the resource that has the relationship. */
function membersShape(
  context: Context,
  read: Read,
  from: Paging,
  { type, relationship }: { readonly type: string; readonly relationship: string },
): Shape {
  const owner = context.registry.get(type)
  const ownerCells = cellsOf(context, owner, main, onlyId, [], owner.stored.revision)
  const target = typeOnPage(context.registry, read)
  const { memberOf, ...links } = linksOf(owner, relationship)
  const edge = read.alongside.find((each) => each.relationship === relationship)
  const [show, edges] =
    from.kind === 'page'
      ? [read.show, read.alongside]
      : [target.snapshot ? undefined : edge?.show, []]
  const cells = show && cellsOf(context, target, main, show, edges)
  return {
    queries: [
      resourcesQuery(context, owner, ownerCells, true),
      pageQuery(context, target, from, cells?.selected ?? [], links),
    ],
    decode: ({ from }, [owners = [], rows = []], into) => {
      const page = pageIn(target, from as Paging, rows, links.columns.length)
      const { shown, position, start } = page
      const resources = cells ? shown.map((row) => cells.decode(row, into, start)) : []
      if (from.kind === 'page') {
        return { ...nothing, records: resources, position, isOrphan: owners.length === 0 }
      }
      for (const resource of resources) {
        into.related.set(resource.id, resource)
      }
      const records = owners.map((row) => ownerCells.decode(row, into))
      return { ...nothing, records, members: shown.map(memberOf), position }
    },
  }
}

/**
 * The rows that a page shows, and the position of the last one where others follow. The cells of a row begin at `start`, behind the
 * keys of the sort.
 *
 * @param width how many columns stand before the keys of the sort
 */
function pageIn(
  definition: ResourceDefinition,
  { limit, sort }: Paging,
  rows: readonly Row[],
  width: number,
) {
  const { shown, more } = firstOf(rows, limit)
  const last = more ? shown.at(-1) : undefined
  const keyAt = (field: string, index: number) =>
    textOf(keyColumn(definition, field).mapFromDriverValue(last?.[width + index]))
  const position = last && [...sort.map(({ field }, index) => keyAt(field, index)), String(last[0])]
  return { shown, position, start: width + sort.length }
}
