import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition, ToMany } from '../jsonapi/declare/resource.ts'
import type { Edit, Fault } from '../jsonapi/run/port.ts'
import {
  columnValue,
  keyColumn,
  keyValue,
  storedAttribute,
  storedRelationship,
  textOf,
} from './stored.ts'

/** The quotas of a caller. */
export interface Quotas {
  /** How many resources of one type a person may own. */
  readonly owned: number
  /** How many members a to-many relationship may have. */
  readonly members: number
}

/** What must be true in the database before a write. `at` is the index of the edit that needs it. */
export type Condition = { readonly at: number } & (RowsExist | FewHold | Never)

/** The rows are there: the one that an edit changes, with its owner and revision, or the targets of a relationship. */
interface RowsExist extends Partial<Pick<Edit, 'owner' | 'ifMatch' | 'ifNoneMatch'>> {
  readonly kind: 'rows'
  readonly type: string
  readonly ids: readonly string[]
  /** The relationship whose targets they are. */
  readonly relationship?: string
  /** Those that an earlier edit deletes. If there are any, the condition does not hold. */
  readonly deleted?: readonly string[]
}

/** At most `max` rows have a value in a column; or all rows in `present` have it already, so that the edit adds none. */
interface FewHold {
  readonly kind: 'few'
  readonly holding: readonly [column: SQLiteColumn, value: unknown]
  /** The rows that do not count, by the column that identifies rows. */
  readonly besides: readonly [id: SQLiteColumn, ids: readonly string[]]
  readonly max: number
  readonly present?: readonly string[] | undefined
  readonly fault: Fault
}

/** The edits themselves show that one of them cannot be made. */
interface Never {
  readonly kind: 'never'
  readonly fault: Fault
}

/**
 * The conditions under which edits can be made one after the other. The first one that does not hold is the reason of the refusal. All of
 * them look at the database before the first edit; what earlier edits change is worked out here.
 */
export function* conditionsOf(
  registry: Registry,
  quotas: Quotas,
  edits: readonly Edit[],
): Generator<Condition> {
  for (const [at, edit] of edits.entries()) {
    const { type, id, kind, owner, ifMatch, ifNoneMatch, maxLinks } = edit
    const definition = registry.get(type)
    const { stored } = definition
    const earlier = edits.slice(0, at)
    const own = earlier.filter((one) => one.type === type && one.id === id)
    const gone = (of: string) =>
      idsOf(earlier.filter((one) => one.type === of && one.kind === 'delete'))

    // An earlier edit has made the row or checked it, for the same owner.
    const isKnown = own.some((one) => owner === null || one.owner === owner)
    if (gone(type).includes(id)) {
      yield { at, kind: 'never', fault: { kind: 'absent' } }
    } else if (kind !== 'create' && (!isKnown || ifMatch || ifNoneMatch)) {
      yield { at, kind: 'rows', type, ids: [id], owner, ifMatch, ifNoneMatch }
    }

    if (maxLinks !== undefined) {
      for (const { target, owner } of membersOf(registry, type)) {
        const fault: Fault = { kind: 'linked', max: maxLinks }
        yield { at, kind: 'few', holding: [target, id], besides: [owner, []], max: maxLinks, fault }
      }
    }

    const linkage = Object.entries(edit.relationships)
    // What is removed need not exist.
    for (const [relationship, sent] of kind === 'remove' ? [] : linkage) {
      const { target } = storedRelationship(definition, relationship)
      const known = idsOf(earlier.filter((one) => one.type === target))
      const deleted = idsOf(sent).filter((one) => gone(target).includes(one))
      const ids = idsOf(sent).filter((one) => deleted.includes(one) || !known.includes(one))
      if (ids.length > 0) {
        yield { at, kind: 'rows', type: target, ids, relationship, deleted }
      }
    }

    for (const [attribute, value] of uniqueValues(definition, edit)) {
      const held = heldAfter(definition, earlier, attribute)
      const fault: Fault = { kind: 'taken', attribute }
      if (value !== null && [...held].some(([one, other]) => one !== id && other === value)) {
        yield { at, kind: 'never', fault }
      } else if (value !== null) {
        const column = keyColumn(definition, attribute)
        const holding = [column, columnValue(column, value)] as const
        const besides = [stored.id, [id, ...held.keys()]] as const
        yield { at, kind: 'few', holding, besides, max: 0, fault }
      }
    }

    if (kind === 'create' && stored.owner && owner !== null) {
      const besides = [stored.id, gone(type)] as const
      const created = earlier.filter((one) => one.type === type && one.kind === 'create')
      const kept = created.filter((one) => one.owner === owner && !gone(type).includes(one.id))
      const max = quotas.owned - kept.length - 1
      const fault: Fault = { kind: 'full', max: quotas.owned }
      yield { at, kind: 'few', holding: [stored.owner, owner], besides, max, fault }
    }

    for (const [relationship] of linkage) {
      const { cardinality, target, stored } = storedRelationship(definition, relationship)
      if (cardinality === 'many') {
        const before = membersAfter(own, relationship)
        const { keepsOthers, named } = membersAfter([...own, edit], relationship)
        const except = [...new Set([...named.keys(), ...gone(target)])]
        const members = except.filter((one) => named.get(one) && !gone(target).includes(one))
        // A member that an earlier edit has removed is surely added. Any other may be there already.
        const isAdded = members.some((one) => before.named.get(one) === false)
        const unknown = members.filter((one) => !before.named.has(one))
        const max = quotas.members - members.length
        const fault: Fault = { kind: 'full', relationship, max: quotas.members }
        if (keepsOthers && (isAdded || unknown.length > 0)) {
          const besides = [stored.target, except] as const
          const present = isAdded ? undefined : unknown
          yield { at, kind: 'few', holding: [stored.owner, id], besides, max, present, fault }
        } else if (max < 0) {
          yield { at, kind: 'never', fault }
        }
      }
    }
  }
}

/** A relationship after edits of one resource: which of the ids that they name are members, and whether other members stay. */
function membersAfter(edits: readonly Edit[], relationship: string) {
  const named = new Map<string, boolean>()
  let keepsOthers = true
  for (const { kind, relationships } of edits) {
    const sent = relationships[relationship]
    if (sent && (kind === 'create' || kind === 'update')) {
      named.clear()
      keepsOthers = false
    }
    for (const { id } of sent ?? []) {
      named.set(id, kind !== 'remove')
    }
  }
  return { named, keepsOthers }
}

/** The value of a unique attribute after edits, by the id of the resource. Null if the edits remove it. */
function heldAfter(definition: ResourceDefinition, edits: readonly Edit[], attribute: string) {
  const held = new Map<string, string | null>()
  for (const edit of edits.filter(({ type }) => type === definition.type)) {
    const values = new Map(uniqueValues(definition, edit))
    if (edit.kind === 'delete' || values.has(attribute)) {
      held.set(edit.id, values.get(attribute) ?? null)
    }
  }
  return held
}

/** The unique attributes that an edit sets, with their sort keys as texts. */
export function uniqueValues(definition: ResourceDefinition, { attributes }: Edit) {
  const unique = Object.entries(attributes).filter(
    ([name]) => storedAttribute(definition, name).unique,
  )
  return unique.map(([name, value]): [string, string | null] => {
    const column = keyColumn(definition, name)
    const text = value === null ? null : keyValue(definition, name, String(value))
    return [name, text === null ? null : textOf(columnValue(column, text))]
  })
}

/** The tables of the members of all relationships to resources of a type. */
export function membersOf(registry: Registry, target: string): ToMany['stored'][] {
  return registry.types
    .flatMap((type) => Object.values(registry.get(type).relationships))
    .flatMap((one) => (one.cardinality === 'many' && one.target === target ? [one.stored] : []))
}

/** The ids of resources. */
export function idsOf(all: readonly { readonly id: string }[]): string[] {
  return all.map(({ id }) => id)
}
