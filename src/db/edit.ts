import type { Read } from '../jsonapi/run/plan.ts'
import type { Change, Edit } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import type { ColumnValues, Shape, WriteValues } from './edit-sql.ts'
import { probeStatement } from './probe-sql.ts'
import type { BoundRead } from './read.ts'
import { linkageOf, type Quotas } from './refused.ts'
import { sealContext } from './rows.ts'
import {
  keyOf,
  type StoredDefinition,
  type StoredRegistry,
  storedAttribute,
  storedRelationship,
} from './source.ts'
import { type Bindable, type Bound, bind, type Statement } from './statement.ts'
import {
  claimStatement,
  deleteStatements,
  insertStatements,
  memberStatement,
  revisionStatement,
} from './write-sql.ts'

/** What binding an edit takes. */
export interface Binding {
  readonly registry: StoredRegistry
  readonly quotas: Quotas
  readonly cipher: Cipher
  readonly bind: (read: Read) => BoundRead
}

/** An edit with its statements. Its values are sealed and bound once, however often the statements are sent. */
export interface BoundEdit extends Pick<Edit, 'type' | 'change' | 'revision'> {
  /** Must the resource have one of the revisions that the edit expects? */
  readonly isConditional: boolean
  /** May only so many members name the resource that is deleted? */
  readonly isBounded: boolean
  /** The name of the edit in the failures of its statements. */
  readonly name: string
  /** The statements that make the edit. One of them inserts the resource, or claims it and alone returns a row. */
  readonly statements: readonly Bound[]
  /** Reads the resource that a create has inserted. */
  readonly reading: BoundRead | undefined
  /**
   * Makes the statement that fails with the reason where the edit cannot be made.
   *
   * @param again true where it has been sent before in the same batch: links are not counted again, which edits between have added
   */
  readonly probe: (again?: boolean) => Bound
  /** Makes the statement that reads the revision of the resource. */
  readonly standing: () => Bound
}

/**
 * Binds an edit to its statements.
 *
 * @param at its index among the edits of a write
 * @param earlierOf gives what the edits before it change; nothing if absent
 */
export async function bindEdit(
  { registry, quotas, cipher, bind: bindRead }: Binding,
  { type, change, owner, revision, expected }: Edit,
  at: number,
  earlierOf?: (values: ColumnValues) => string,
): Promise<BoundEdit> {
  const definition = registry.get(type)
  const isConditional = expected !== undefined
  const isBounded = change.kind === 'delete' && change.mostLinks !== undefined
  const name = `edit${at}`
  const columns = await columnValues(definition, change, cipher)
  const values: WriteValues = {
    name,
    id: change.id,
    owner,
    revision,
    expected: isConditional ? JSON.stringify(expected) : null,
    mostOwned: quotas.owned,
    mostMembers: quotas.members,
    tooManyLinks: isBounded ? change.mostLinks + 1 : 0,
    earlier: earlierOf?.(columns) ?? '{}',
    ...columns,
    ...Object.fromEntries(
      Object.entries(linkageOf(change)).map(([relationship, identifiers]) => [
        `linkage ${relationship}`,
        JSON.stringify(identifiers),
      ]),
    ),
  }
  const { statements, probe } = compiledEdit(registry, definition, shapeOf(change), isConditional)
  return {
    type,
    change,
    revision,
    isConditional,
    isBounded,
    name,
    statements: statements.map((statement) => bind(statement, values)),
    reading: change.kind === 'create' ? bindRead(change.read) : undefined,
    probe: (again) => bind(probe(), again ? { ...values, tooManyLinks: 0 } : values),
    standing: () => bind(revisionStatement(definition.stored), values),
  }
}

function shapeOf(change: Change): Shape {
  return {
    kind: change.kind,
    attributes: 'attributes' in change ? Object.keys(change.attributes) : [],
    relationships: Object.keys(linkageOf(change)),
  }
}

/** The statements of all edits of one kind that set the same attributes and relationships. */
interface CompiledEdit {
  readonly statements: readonly Statement<WriteValues>[]
  readonly probe: () => Statement<WriteValues>
}

const compiled = new WeakMap<StoredDefinition, Map<string, CompiledEdit>>()

function compiledEdit(
  registry: StoredRegistry,
  definition: StoredDefinition,
  shape: Shape,
  isConditional: boolean,
): CompiledEdit {
  // No member has a comma or a semicolon in its name (JSON:API 1.1, "Reserved Characters").
  const key = `${shape.kind};${isConditional};${shape.attributes};${shape.relationships}`
  const known = compiled.get(definition) ?? new Map<string, CompiledEdit>()
  compiled.set(definition, known)
  const same = known.get(key)
  if (same) {
    return same
  }
  // The probe is compiled when it is first needed: most edits are never sent behind one.
  let probe: Statement<WriteValues> | undefined
  const made: CompiledEdit = {
    statements: compileChange(definition, shape, isConditional),
    probe: () => {
      probe ??= probeStatement(registry, definition, shape, isConditional)
      return probe
    },
  }
  known.set(key, made)
  return made
}

function compileChange(
  definition: StoredDefinition,
  { kind, attributes, relationships }: Shape,
  isConditional: boolean,
): Statement<WriteValues>[] {
  switch (kind) {
    case 'delete':
      return deleteStatements(definition.stored, isConditional)
    case 'create':
    case 'update': {
      const toMany = relationships.filter(
        (name) => storedRelationship(definition, name).cardinality === 'many',
      )
      const each = (how: 'put' | 'keep') =>
        toMany.map((name) => memberStatement(definition, name, how))
      // What is put in may be refused because of its targets, so that it comes before anything is removed: else a refused write
      // could remove many members and undo that.
      return kind === 'create'
        ? [...insertStatements(definition), ...each('put')]
        : [
            claimStatement(definition, attributes, relationships, isConditional),
            ...each('put'),
            ...each('keep'),
          ]
    }
    default: {
      const ways = kind === 'replace' ? (['put', 'keep'] as const) : [kind]
      return [
        claimStatement(definition, [], [], isConditional),
        ...relationships.flatMap((name) =>
          ways.map((how) => memberStatement(definition, name, how)),
        ),
      ]
    }
  }
}

/** The value of each column that a change sets. A create sets all of them. */
async function columnValues(
  definition: StoredDefinition,
  change: Change,
  cipher: Cipher,
): Promise<ColumnValues> {
  const values: Record<`column ${string}`, Bindable> = {}
  const isWhole = change.kind === 'create'
  const attributes = 'attributes' in change ? change.attributes : {}
  for (const name of Object.keys(isWhole ? definition.attributes : attributes)) {
    const { as, column, key } = storedAttribute(definition, name)
    const value = attributes[name] ?? null
    const isSealed = as === 'sealed' && typeof value === 'string'
    values[`column ${column.name}`] = isSealed
      ? await cipher.encrypt(value, sealContext(definition.type, change.id, name))
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
