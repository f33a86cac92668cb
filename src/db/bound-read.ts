import type { Registry } from '../jsonapi/registry.ts'
import { type Found, linkageLimit, type Read } from '../jsonapi/store.ts'
import type { Cipher } from './cipher.ts'
import { type Alongside, readStatement } from './read-sql.ts'
import { decodeRows, type Row } from './rows.ts'
import type { TableSource } from './source.ts'
import { type Bindings, type Database, prepare, type Statement } from './statement.ts'

/** A statement with its values, and what its rows mean. */
export interface BoundRead {
  readonly statement: Statement
  readonly bindings: Bindings
  readonly decode: (rows: readonly Row[]) => Promise<Found>
}

/** Runs reads in one round trip: a single one as rows of values, several as one batch. */
export async function runReads(db: Database, reads: readonly BoundRead[]): Promise<Found[]> {
  const [only, ...others] = reads
  if (!only) {
    return []
  }
  if (others.length === 0) {
    const rows = await prepare(db, only.statement, only.bindings).raw<unknown[]>()
    return [await only.decode(rows)]
  }
  const results = await db.batch(
    reads.map(({ statement, bindings }) => prepare(db, statement, bindings)),
  )
  return Promise.all(reads.map(({ decode }, index) => decode(rowsOf(results[index]))))
}

/** The rows of a batch's result: D1 makes objects of them, whose members keep the order of the columns. */
export function rowsOf(result: D1Result<unknown> | undefined): Row[] {
  return (result?.results ?? []).map((row) => Object.values(row as object))
}

/** Binds the values of a read to its statement, which is compiled once per shape. */
export function bindRead(
  registry: Registry<TableSource>,
  cipher: Cipher,
  statements: Map<string, Statement>,
  read: Read,
): BoundRead {
  const { from } = read
  const alongside = alongsideOf(registry, read, false)
  const shape = shapeOf(read, alongside)
  const statement = statements.get(shape) ?? readStatement(registry, read, alongside)
  if (statements.size >= mostStatements) {
    statements.clear()
  }
  statements.set(shape, statement)
  const limit = from.kind === 'ids' ? -1 : (from.limit ?? -1)
  const bindings: Record<string, string | number | null> = {
    viewer: read.viewer,
    members: linkageLimit + 1,
    limit,
    fetch: limit < 0 ? -1 : limit + 1,
    offset: from.kind === 'page' ? from.offset : 0,
  }
  if (from.kind === 'ids') {
    bindings.ids = JSON.stringify(from.ids)
  } else if (from.kind === 'linkage') {
    bindings.id = from.id
    bindings.after0 = from.after ?? null
  } else {
    for (const [name, values] of Object.entries(from.filter)) {
      bindings[`filter_${name}`] = JSON.stringify(values)
    }
    from.after?.forEach((value, index) => {
      bindings[`after${index}`] = value
    })
  }
  return {
    statement,
    bindings,
    decode: (rows) => decodeRows(registry, cipher, read, alongside, rows),
  }
}

/** Shapes are few, but fieldsets combine: past this the compiled statements are dropped and made again. */
const mostStatements = 500

/** Everything about a read that its SQL text depends on. */
function shapeOf({ type, from, select }: Read, alongside: readonly Alongside[]): string {
  const variable =
    from.kind === 'page'
      ? [Object.keys(from.filter), from.sort, from.after !== undefined, from.total]
      : from.kind === 'linkage'
        ? [from.relationship, from.after !== undefined]
        : []
  const targets = alongside.map(({ name, target }) => [name, select(target)])
  return JSON.stringify([type, from.kind, variable, select(type), targets])
}

/** Relationships of a read whose targets come along: from memory those kept there, from the statement the others. */
export function alongsideOf(
  registry: Registry<TableSource>,
  { type, alongside }: Read,
  kept: boolean,
): Alongside[] {
  return alongside
    .map((name) => ({ name, target: registry.get(type).relationships[name]?.target ?? '' }))
    .filter(({ target }) => (registry.get(target).source.kept === true) === kept)
}
