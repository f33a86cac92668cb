import type { Identifier } from '../jsonapi/document.ts'
import type { Read } from '../jsonapi/run/plan.ts'
import type { Change, Edit } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import { type Earlier, nothingEarlier, type ValueFor } from './earlier.ts'
import type { Shape, WriteValues } from './edit-sql.ts'
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
 * @param earlier gives what the edits before it change, from the values of its unique attributes; there are none if absent
 */
export async function bindEdit(
  { registry, quotas, cipher, bind: bindRead }: Binding,
  { type, change, owner, revision, expected }: Edit,
  at: number,
  earlier: (valueFor: ValueFor) => Earlier = () => nothingEarlier,
): Promise<BoundEdit> {
  const definition = registry.get(type)
  const isConditional = expected !== undefined
  const name = `edit${at}`
  const { members, toOne } = memberValues(definition, linkageOf(change))
  const { attributes, keys, unsealed } = attributeValues(definition, change)
  for (const [attribute, value] of unsealed) {
    const context = sealContext(type, change.id, attribute)
    attributes[attribute] = await cipher.encrypt(value, context)
  }
  const values: WriteValues = {
    name,
    id: change.id,
    owner,
    revision,
    expected: isConditional ? JSON.stringify(expected) : null,
    mostOwned: quotas.owned,
    mostMembers: quotas.members,
    mostLinks: change.kind === 'delete' ? (change.mostLinks ?? null) : null,
    members,
    toOne,
    attributes,
    keys,
    earlier: earlier((attribute) => keys[attribute] ?? attributes[attribute]),
  }
  const { statements, probe } = compiledEdit(registry, definition, shapeOf(change), isConditional)
  return {
    type,
    change,
    revision,
    isConditional,
    isBounded: values.mostLinks !== null,
    name,
    statements: statements.map((statement) => bind(statement, values)),
    reading: change.kind === 'create' ? bindRead(change.read) : undefined,
    probe: (again) => bind(probe(), again ? { ...values, mostLinks: null } : values),
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

function memberValues(
  definition: StoredDefinition,
  sent: Readonly<Record<string, readonly Identifier[]>>,
): Pick<WriteValues, 'members' | 'toOne'> {
  const members: Record<string, string> = {}
  const toOne: Record<string, string | null> = {}
  for (const [name, identifiers] of Object.entries(sent)) {
    members[name] = JSON.stringify(identifiers)
    if (storedRelationship(definition, name).cardinality === 'one') {
      toOne[name] = identifiers[0]?.id ?? null
    }
  }
  return { members, toOne }
}

/** The values of the attributes that a change holds, and of their key columns, beside the values that are to be sealed. */
function attributeValues(definition: StoredDefinition, change: Change) {
  const attributes: Record<string, Bindable> = {}
  const keys: Record<string, Bindable> = {}
  const unsealed: [name: string, value: string][] = []
  for (const [name, value] of 'attributes' in change ? Object.entries(change.attributes) : []) {
    const { as, key } = storedAttribute(definition, name)
    if (as === 'json') {
      const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0
      attributes[name] = isEmpty ? null : JSON.stringify(value)
    } else if (as === 'sealed' && typeof value === 'string') {
      unsealed.push([name, value])
    } else {
      attributes[name] = value as Bindable
    }
    if (key) {
      keys[name] = keyOf(definition, name, String(value))
    }
  }
  return { attributes, keys, unsealed }
}
