import { type Alongside, type Found, linkageLimit, type Read } from '../jsonapi/store.ts'
import type { Cipher } from './cipher.ts'
import type { Bound, Connection, Row } from './connection.ts'
import { type Extent, readStatement } from './read-sql.ts'
import { type RowReader, rowReader } from './rows.ts'
import { keyOf, type StoredRegistry } from './source.ts'
import type { Bindable, Statement } from './statement.ts'

/** A read with its values, and what its rows mean. */
export interface BoundRead extends Bound {
  readonly decode: (rows: readonly Row[]) => Promise<Found>
}

/** What is made once for all reads of a shape. */
export interface CompiledRead {
  readonly statement: Statement
  readonly rows: RowReader
}

/** Runs reads in one round trip, or in none where there are none. */
export async function runReads(run: Connection, reads: readonly BoundRead[]): Promise<Found[]> {
  const results = reads.length > 0 ? await run(reads) : []
  return Promise.all(reads.map(({ decode }, index) => decode(results[index] ?? [])))
}

/**
 * Binds the values of a read to what is compiled once per shape.
 *
 * @param members how many members of a to-many relationship come with each resource; Infinity: all
 */
export function bindRead(
  registry: StoredRegistry,
  cipher: Cipher,
  compiled: Map<string, CompiledRead>,
  read: Read,
  members: number = linkageLimit,
): BoundRead {
  const { from } = read
  const definition = registry.get(read.type)
  const extent = { alongside: alongsideOf(registry, read, false), members }
  const shape = shapeOf(read, extent)
  const { statement, rows: reader } =
    compiled.get(shape) ?? remember(compiled, shape, compileRead(registry, read, extent))
  const limit = from.kind === 'ids' ? -1 : (from.limit ?? -1)
  const bindings: Record<string, Bindable> = {
    viewer: read.viewer,
    limit,
    fetch: limit < 0 ? -1 : limit + 1,
    offset: from.kind === 'page' ? from.offset : 0,
  }
  if (from.kind === 'ids') {
    bindings.id = from.ids[0] ?? null
    bindings.ids = JSON.stringify(from.ids)
  } else if (from.kind === 'linkage') {
    bindings.id = from.id
    bindings.after0 = from.after ?? null
  } else {
    for (const [name, values] of Object.entries(from.filter)) {
      bindings[`filter_${name}`] = JSON.stringify(
        values.map((value) => keyOf(definition, name, value)),
      )
    }
    from.after?.forEach((value, index) => {
      bindings[`after${index}`] = value
    })
  }
  return {
    statement,
    bindings,
    decode: (rows) => reader(cipher, read, rows),
  }
}

/** Shapes are few, but fieldsets combine: past this what was compiled is dropped and made again. */
const mostShapes = 500

function remember(
  compiled: Map<string, CompiledRead>,
  shape: string,
  made: CompiledRead,
): CompiledRead {
  if (compiled.size >= mostShapes) {
    compiled.clear()
  }
  compiled.set(shape, made)
  return made
}

function compileRead(registry: StoredRegistry, read: Read, extent: Extent): CompiledRead {
  return {
    statement: readStatement(registry, read, extent),
    rows: rowReader(registry, read, extent),
  }
}

/** Everything about a read that its SQL text depends on. */
function shapeOf({ type, from, select }: Read, { alongside, members }: Extent): string {
  const variable =
    from.kind === 'page'
      ? [Object.keys(from.filter), from.sort, from.after !== undefined, from.total, from.offset > 0]
      : from.kind === 'linkage'
        ? [from.relationship, from.after !== undefined]
        : [from.ids.length === 1]
  return JSON.stringify([type, from.kind, String(members), variable, select, alongside])
}

/** Relationships of a read whose targets come along: from memory those kept there, from the statement the others. */
export function alongsideOf(
  registry: StoredRegistry,
  { alongside }: Read,
  kept: boolean,
): Alongside[] {
  return alongside.filter(({ target }) => (registry.get(target).stored.kept === true) === kept)
}
