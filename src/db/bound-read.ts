import type { PlanEdge, Read, ReadPlan } from '../jsonapi/run/plan.ts'
import type { Found } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import type { Connection, Row } from './connection.ts'
import { readValues } from './page-sql.ts'
import { type ReadStatement, readStatement } from './read-sql.ts'
import { type RowReader, rowReader } from './rows.ts'
import { type StoredDefinition, type StoredRegistry, storedRelationship } from './source.ts'
import { type Bound, bind } from './statement.ts'

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

/** What is made from a plan once. */
interface CompiledRead {
  readonly statement: ReadStatement['statement']
  readonly read: RowReader
}

/** Makes the function that binds reads to their statements. Each statement is compiled once, and remembered with its plan. */
export function readBinder(registry: StoredRegistry, cipher: Cipher): (read: Read) => BoundRead {
  const compiled = new WeakMap<ReadPlan, CompiledRead>()
  const compile = (plan: ReadPlan): CompiledRead => {
    const { statement, rows } = readStatement(registry, plan, edgesOf(registry, plan, false))
    const made = { statement, read: rowReader(registry, plan, rows) }
    compiled.set(plan, made)
    return made
  }
  return ({ plan, values }) => {
    const { statement, read } = compiled.get(plan) ?? compile(plan)
    return {
      ...bind(statement, readValues(filteredType(registry, plan), values)),
      decode: (rows) => read(cipher, values, rows),
    }
  }
}

/** The type whose fields the filters of a plan compare: that of the targets where linkage is read. */
function filteredType(registry: StoredRegistry, { type, from }: ReadPlan): StoredDefinition {
  const definition = registry.get(type)
  return from.kind === 'linkage'
    ? registry.get(storedRelationship(definition, from.relationship).target)
    : definition
}

/**
 * Relationships of a plan whose related resources are read with it.
 *
 * @param inSnapshot true: those whose targets are in the snapshot; false: those whose targets the statement reads
 */
export function edgesOf(
  registry: StoredRegistry,
  { alongside }: ReadPlan,
  inSnapshot: boolean,
): PlanEdge[] {
  return alongside.filter(({ target }) => (registry.get(target).snapshot === true) === inSnapshot)
}
