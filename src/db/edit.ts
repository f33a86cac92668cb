import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { Edit, Read } from '../jsonapi/run/store.ts'
import { lazy } from '../lib/kept.ts'
import type { Cipher } from './cipher.ts'
import { inTurn, linkageOf, nothingEarlier } from './earlier.ts'
import type { BoundRead } from './read.ts'
import { sealContext } from './rows.ts'
import { keyOf, storedAttribute, storedRelationship } from './source.ts'
import { type Bindable, type Bound, bind, remembered, type Statement } from './statement.ts'
import {
  type ColumnValues,
  editStatements,
  probeStatement,
  revisionStatement,
  type Shape,
  type WriteValues,
} from './write-sql.ts'

/** The quotas (contract, section 15). */
export interface Quotas {
  /** The most resources of one type that one person may own. */
  readonly owned: number
  /** The most members of one to-many relationship. */
  readonly members: number
}

/** What binding an edit takes. */
export interface Binding {
  readonly registry: Registry
  readonly quotas: Quotas
  readonly cipher: Cipher
  readonly bindRead: (read: Read) => BoundRead
}

/** An edit with its statements. Its values are sealed and bound once, however often the statements are sent. */
export interface BoundEdit extends Edit {
  /** The statements that make the edit. One of them inserts the resource, or claims it and alone returns a row. */
  readonly statements: readonly Bound[]
  /** Reads the resource that a create has inserted. */
  readonly reading: BoundRead | undefined
  /**
   * Makes the statement that fails with the reason where the edit cannot be made. It is sent before the first edit of the write is
   * made, and knows what those before this one will have changed.
   */
  readonly probe: () => Bound
  /** The probe that is sent right before the edit is made; undefined where the first one cannot have been wrong. */
  readonly lateProbe: Bound | undefined
  /** Makes the statement that reads the revision of the resource. */
  readonly standing: () => Bound
}

/** The statements of all edits of one shape. */
interface CompiledEdit {
  readonly statements: readonly Statement<WriteValues>[]
  /** Compiled when it is first needed: most edits are never sent behind a probe. */
  readonly probe: () => Statement<WriteValues>
}

/** Makes the function that binds the edits of a write to their statements, which are compiled once for all edits of one shape. */
export function editBinder(binding: Binding): (edits: readonly Edit[]) => Promise<BoundEdit[]> {
  const { registry, quotas, bindRead } = binding
  const compiled = remembered<CompiledEdit>()
  return async (edits) => {
    const earlierOf = edits.length > 1 ? inTurn(registry) : () => nothingEarlier
    const firstDelete = edits.findIndex(({ change }) => change.kind === 'delete')
    const bound: BoundEdit[] = []
    for (const [at, edit] of edits.entries()) {
      const { type, change, expected } = edit
      const definition = registry.get(type)
      const shape = shapeOf(edit)
      const { statements, probe } = compiled(JSON.stringify([type, shape]), () =>
        compileEdit(registry, definition, shape),
      )
      const columns = await columnValues(binding, edit)
      const values = writeValues(quotas, edit, at, columns, earlierOf(edit, columns))
      // Nobody can tell from the edits alone which resources foreign keys change along with one that is deleted, nor which
      // revision a resource has that an earlier edit has changed.
      const isUnsure = (firstDelete >= 0 && firstDelete < at) || (at > 0 && !!expected)
      bound.push({
        ...edit,
        statements: statements.map((statement) => bind(statement, values)),
        reading: change.kind === 'create' ? bindRead(change.read) : undefined,
        probe: () => bind(probe(), values),
        // Links are not counted again: earlier edits of the write may have added some.
        lateProbe: isUnsure
          ? bind(probe(), { ...values, earlier: nothingEarlier, tooManyLinks: 0 })
          : undefined,
        standing: () => bind(revisionStatement(definition.stored), values),
      })
    }
    return bound
  }
}

/** Compiles the edits of a shape. It stands apart, since a closure among those of an edit would keep its values as long as itself. */
function compileEdit(
  registry: Registry,
  definition: ResourceDefinition,
  shape: Shape,
): CompiledEdit {
  return {
    statements: editStatements(definition, shape),
    probe: lazy(() => probeStatement(registry, definition, shape)),
  }
}

function shapeOf({ change, expected }: Edit): Shape {
  return {
    kind: change.kind,
    attributes: 'attributes' in change ? Object.keys(change.attributes) : [],
    relationships: Object.keys(linkageOf(change)),
    isConditional: expected !== undefined,
  }
}

function writeValues(
  quotas: Quotas,
  { change, owner, revision, expected }: Edit,
  at: number,
  columns: ColumnValues,
  earlier: string,
): WriteValues {
  const mostLinks = change.kind === 'delete' ? change.mostLinks : undefined
  const linkage = Object.entries(linkageOf(change)).map(([name, sent]) => [
    `linkage ${name}`,
    JSON.stringify(sent),
  ])
  return {
    name: `edit${at}`,
    id: change.id,
    owner,
    revision,
    expected: expected ? JSON.stringify(expected) : null,
    mostOwned: quotas.owned,
    mostMembers: quotas.members,
    tooManyLinks: mostLinks === undefined ? 0 : mostLinks + 1,
    earlier,
    ...columns,
    ...Object.fromEntries(linkage),
  }
}

/** The value of each column that an edit sets, sealed where it is stored sealed. A create sets all columns. */
async function columnValues(
  { registry, cipher }: Binding,
  { type, change }: Edit,
): Promise<ColumnValues> {
  const definition = registry.get(type)
  const values: Record<`column ${string}`, Bindable> = {}
  const isWhole = change.kind === 'create'
  const attributes = 'attributes' in change ? change.attributes : {}
  for (const name of Object.keys(isWhole ? definition.attributes : attributes)) {
    const { as, column, key } = storedAttribute(definition, name)
    const value = attributes[name] ?? null
    const isSealed = as === 'sealed' && typeof value === 'string'
    values[`column ${column.name}`] = isSealed
      ? await cipher.encrypt(value, sealContext(type, change.id, name))
      : as === 'json'
        ? jsonOf(value)
        : (value as Bindable)
    if (key) {
      values[`column ${key.name}`] = keyOf(definition, name, value as string | null)
    }
  }
  const linkage = linkageOf(change)
  for (const name of Object.keys(isWhole ? definition.relationships : linkage)) {
    const { cardinality, stored } = storedRelationship(definition, name)
    if (cardinality === 'one') {
      values[`column ${stored.name}`] = linkage[name]?.[0]?.id ?? null
    }
  }
  return values
}

/** The JSON text of a value; null for an object without members. */
function jsonOf(value: unknown): string | null {
  const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0
  return isEmpty ? null : JSON.stringify(value)
}
