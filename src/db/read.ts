import { eq, fillPlaceholders, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { among, db, type Rows, type Statement, statementOf } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { type Found, linkageLimit, onlyId, type Read } from '../jsonapi/run/port.ts'
import { putBounded } from '../lib/cache.ts'
import type { Cipher } from '../lib/key-ring.ts'
import { type Collected, cellsOf, columnOf, fieldsOf, firstOf } from './cells.ts'
import { collectionPage, main, membersPage, type Paging, totalQuery } from './page.ts'
import { storedMembers } from './stored.ts'

/** What all reads of one shape share: their statements, and how rows become a result. `into` collects the related resources. */
interface Shape {
  readonly statements: readonly Statement[]
  readonly decode: (
    results: readonly Rows[],
    into: Collected,
    limit: number | undefined,
  ) => Omit<Found, 'related'>
}

/** How many shapes are kept. Callers can combine fields at will, so the oldest are dropped. */
const maxKept = 500

const kept = new WeakMap<Registry, Map<string, Shape>>()

/** The statements of reads with their values, and `foundIn`, which makes their results from the rows of all statements. */
export function prepare(registry: Registry, cipher: Cipher, reads: readonly Read[]) {
  const all = reads.map((read) => ({ read, ...findShape(registry, read) }))
  return {
    statements: all.flatMap(({ read, statements }) => {
      const values = placeholderValues(read)
      return statements.map(({ sql, params }) => ({
        sql,
        params: fillPlaceholders(params, values),
      }))
    }),
    foundIn(results: Rows[]): Promise<Found[]> {
      const each = all.map(async ({ read: { from }, statements, decode }) => {
        const collected: Collected = { cipher, related: new Map(), decrypting: [] }
        const limit = from.kind === 'ids' ? undefined : from.limit
        const found = decode(results.splice(0, statements.length), collected, limit)
        await Promise.all(collected.decrypting)
        return { ...found, related: [...collected.related.values()] }
      })
      return Promise.all(each)
    },
  }
}

/**
 * The shape of a read, made once for all reads that differ only in their parameters. A filter that is no attribute may have another
 * condition for each text, so its shape is not kept.
 */
function findShape(registry: Registry, read: Read): Shape {
  if (hasOwnFilter(registry, read)) {
    return shapeOf(registry, read)
  }
  const all = kept.get(registry) ?? new Map<string, Shape>()
  kept.set(registry, all)
  const key = shapeKey(read)
  const known = all.get(key)
  if (known) {
    return known
  }
  const made = shapeOf(registry, read)
  putBounded(all, key, made, maxKept)
  return made
}

/** Does the read have a filter that is no attribute? */
function hasOwnFilter(registry: Registry, { from }: Read): boolean {
  const names = from.kind === 'ids' ? [] : Object.keys(from.filter)
  return names.some((name) => registry.types.some((type) => registry.get(type).filters?.[name]))
}

/** The text that all reads of one shape have in common: the read without its parameters. */
function shapeKey({ from, viewer: _, ...read }: Read): string {
  if (from.kind === 'ids') {
    return JSON.stringify({ ...read, isOne: from.ids.length === 1 })
  }
  const bound = { id: undefined, limit: undefined, filter: Object.keys(from.filter) }
  const where =
    from.kind === 'page' ? { of: { ...from.of, id: undefined }, offset: from.offset > 0 } : {}
  return JSON.stringify({ ...read, ...from, ...bound, ...where, after: from.after !== undefined })
}

/** The limit of a read of all rows. */
const everyRow = 2 ** 31 - 2

/** The values of the placeholders of a read, by name. */
function placeholderValues({ viewer, from }: Read): Record<string, unknown> {
  if (from.kind === 'ids') {
    return { viewer, id: from.ids[0], ids: from.ids }
  }
  const { filter, after = [], limit = everyRow } = from
  const filters = Object.entries(filter).map(([field, texts]) => [`filter ${field}`, texts])
  return {
    viewer,
    id: from.kind === 'page' ? from.of?.id : from.id,
    offset: from.kind === 'page' ? from.offset : 0,
    // One row more shows whether others follow.
    fetched: limit + 1,
    ...Object.fromEntries([...filters, ...after.map((text, index) => [`after ${index}`, text])]),
  }
}

function shapeOf(registry: Registry, read: Read): Shape {
  const { type, from } = read
  if (from.kind === 'ids') {
    return idsShape(registry, read, from.ids.length === 1)
  }
  if (from.kind === 'linkage') {
    return membersShape(registry, read, from, { ...from, type })
  }
  return from.of
    ? membersShape(registry, read, from, from.of)
    : collectionShape(registry, read, from)
}

const nothing = { records: [], members: [], position: undefined, total: undefined }

/** Resources by their ids. Where it is one, its revision is read, too. */
function idsShape(
  registry: Registry,
  { type, show, alongside }: Pick<Read, 'type' | 'show' | 'alongside'>,
  isOne: boolean,
): Shape {
  const definition = registry.get(type)
  const { table, id } = definition.stored
  const cells = cellsOf(registry, definition, main, show, { edges: alongside, isOne })
  const column = columnOf(main, id)
  const query = db
    .select(fieldsOf(cells.selected))
    .from(alias(table, main))
    .where(isOne ? eq(column, sql.placeholder('id')) : among(column, sql.placeholder('ids')))
  return {
    statements: [statementOf(query)],
    decode: ([rows = []], into) => ({
      ...nothing,
      records: rows.map((row) => cells.decode(row, into)),
    }),
  }
}

/** A page of a collection, with its total. In a first page each row has the total; without rows it is 0. */
function collectionShape(
  registry: Registry,
  { type, show, alongside, members }: Read,
  from: Extract<Paging, { kind: 'page' }>,
): Shape {
  const definition = registry.get(type)
  const maxMembers = members === 'all' ? everyRow : linkageLimit
  const cells = cellsOf(registry, definition, main, show, { edges: alongside, maxMembers })
  // All reads of the shape share `decode`, so it uses nothing else of this one.
  const { sort, total: hasTotal } = from
  const total = totalQuery(definition, from.filter)
  const isFirst = from.offset === 0 && !from.after
  const selected = [...cells.selected, ...(hasTotal && isFirst ? [total] : [])]
  const page = collectionPage(definition, from, selected)
  const queries = hasTotal && !isFirst ? [page, total] : [page]
  return {
    statements: queries.map(statementOf),
    decode: ([rows = [], totals = rows], into, limit) => {
      const { shown, position, start } = pageIn(sort, rows, 1, limit)
      const records = shown.map((row) => cells.decode(row, into, start))
      const total = hasTotal ? Number(totals[0]?.at(-1) ?? 0) : undefined
      return { ...nothing, records, position, total }
    },
  }
}

/**
 * The rows that a page shows, and the position of the last one if others follow. The cells of a row begin at `start`, after the keys of
 * the sort.
 *
 * @param width how many columns stand before the keys of the sort
 */
function pageIn(sort: Paging['sort'], rows: Rows, width: number, limit: number | undefined) {
  const { shown, more } = firstOf(rows, limit)
  const last = more ? shown.at(-1) : undefined
  // Texts as the driver gives them, which the database reads again as values of their columns.
  const keys = last?.slice(width, width + sort.length)
  const position = keys && [...keys, last?.[0]].map(String)
  return { shown, position, start: width + sort.length }
}

/** A page of the members of a relationship, or of the resources that they are; and the resource that has the relationship. */
function membersShape(
  registry: Registry,
  read: Read,
  from: Paging,
  { type, relationship }: { readonly type: string; readonly relationship: string },
): Shape {
  const owner = idsShape(registry, { type, show: onlyId, alongside: [] }, true)
  const storage = storedMembers(registry.get(type), relationship)
  const target = registry.get(storage.type)
  const edge = read.alongside.find((each) => each.relationship === relationship)
  const included = target.snapshot ? undefined : edge?.show
  // As in `collectionShape`, `decode` uses nothing else of this read.
  const { sort } = from
  const isPage = from.kind === 'page'
  const [show, edges] = isPage ? [read.show, read.alongside] : [included]
  const cells = show && cellsOf(registry, target, main, show, { edges })
  const page = membersPage(target, from, cells?.selected ?? [], storage)
  return {
    statements: [...owner.statements, statementOf(page)],
    decode: ([owners = [], rows = []], into, limit) => {
      const { length } = storage.columns
      const { shown, position, start } = pageIn(sort, rows, length, limit)
      const resources = cells ? shown.map((row) => cells.decode(row, into, start)) : []
      if (isPage) {
        return { ...nothing, records: resources, position, isOrphan: owners.length === 0 }
      }
      for (const resource of resources) {
        into.related.set(resource.id, resource)
      }
      const { records } = owner.decode([owners], into, undefined)
      return { ...nothing, records, members: shown.map(storage.memberOf), position }
    },
  }
}
