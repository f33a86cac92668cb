import type { Identifier } from '../jsonapi/document.ts'
import type { Change, Edit } from '../jsonapi/run/store.ts'
import { linkageOf } from './refused.ts'
import { type StoredRegistry, storedRelationship } from './source.ts'
import type { Bindable } from './statement.ts'

/**
 * What the earlier edits of a write will have changed when an edit is made, as far as it can matter for that edit. It follows
 * from the edits alone, so that all of them can be judged before the first one is made. All texts are JSON arrays, to be bound.
 */
export interface Earlier {
  /** The ids of the resources that are gone by then, and of those that are made, by type. */
  readonly gone: Readonly<Record<string, string>>
  readonly made: Readonly<Record<string, string>>
  /**
   * The new values of unique attributes, as they are compared, and of to-one relationships: pairs of an id and its value, by
   * `type.field`. The value of a resource that is gone is null.
   */
  readonly held: Readonly<Record<string, string>>
  /** What has happened to the members of to-many relationships, by relationship. */
  readonly members: Readonly<Record<string, EarlierMembers>>
}

/** What earlier edits have made of the members of one relationship. */
interface EarlierMembers {
  /** 1: those that are stored are members still, but for `touched`; 0: they are not. */
  readonly isStored: 0 | 1
  /** The ids of members that were added or removed. */
  readonly touched: string
  /** The ids of those among them that are members. */
  readonly added: string
}

/** What an edit finds that has no other before it. */
export const nothingEarlier: Earlier = { gone: {}, made: {}, held: {}, members: {} }

/** Gives the value by which a unique attribute is compared, where the edit changes it. */
export type ValueFor = (attribute: string) => Bindable | undefined

interface Members {
  readonly isStored: boolean
  readonly touched: ReadonlySet<string>
  readonly added: ReadonlySet<string>
}

/**
 * Makes the function that takes the edits of a write in their order, and tells what the earlier ones will have changed for each.
 */
export function inTurn(
  registry: StoredRegistry,
): (edit: Pick<Edit, 'type' | 'change'>, valueFor: ValueFor) => Earlier {
  const gone = new Map<string, Set<string>>()
  const made = new Map<string, Set<string>>()
  const held = new Map<string, Map<string, Bindable>>()
  /** By type, id and relationship. */
  const members = new Map<string, Members>()
  const keyOf = (type: string, id: string, name: string) => JSON.stringify([type, id, name])
  const membersOf = (type: string, id: string, name: string): Members =>
    members.get(keyOf(type, id, name)) ?? {
      isStored: !made.get(type)?.has(id),
      touched: new Set(),
      added: new Set(),
    }
  const isMany = (type: string, name: string): boolean =>
    storedRelationship(registry.get(type), name).cardinality === 'many'

  const before = (type: string, change: Change): Earlier => {
    const found: Record<string, EarlierMembers> = {}
    for (const name of Object.keys(linkageOf(change)).filter((each) => isMany(type, each))) {
      const { isStored, touched, added } = membersOf(type, change.id, name)
      const target = storedRelationship(registry.get(type), name).target
      const left = gone.get(target) ?? new Set<string>()
      found[name] = {
        isStored: isStored ? 1 : 0,
        touched: textOf(touched.union(left)),
        added: textOf(added.difference(left)),
      }
    }
    return { gone: texts(gone), made: texts(made), held: texts(held), members: found }
  }

  const note = (type: string, change: Change, valueFor: ValueFor): void => {
    const { kind, id } = change
    const sent = linkageOf(change)
    if (kind === 'delete' || kind === 'create') {
      const ids = kind === 'delete' ? gone : made
      ids.set(type, new Set(ids.get(type)).add(id))
    }
    for (const name of comparedFields(registry, type)) {
      const value = kind === 'delete' ? null : (valueFor(name) ?? targetIn(sent[name]))
      if (value !== undefined) {
        const values = held.get(`${type}.${name}`)
        held.set(`${type}.${name}`, new Map(values).set(id, value))
      }
    }
    for (const name of Object.keys(sent).filter((each) => isMany(type, each))) {
      const ids = new Set(sent[name]?.map((member) => member.id))
      const { isStored, touched, added } = membersOf(type, id, name)
      members.set(
        keyOf(type, id, name),
        kind === 'add'
          ? { isStored, touched: touched.union(ids), added: added.union(ids) }
          : kind === 'remove'
            ? { isStored, touched: touched.union(ids), added: added.difference(ids) }
            : { isStored: false, touched: new Set(), added: ids },
      )
    }
  }
  return ({ type, change }, valueFor) => {
    const earlier = before(type, change)
    note(type, change, valueFor)
    return earlier
  }
}

/** The unique attributes and the to-one relationships of a type. */
function comparedFields(registry: StoredRegistry, type: string): string[] {
  const { attributes, relationships } = registry.get(type)
  return [
    ...Object.keys(attributes).filter((name) => attributes[name]?.stored.unique),
    ...Object.keys(relationships).filter((name) => relationships[name]?.cardinality === 'one'),
  ]
}

/** The target of a to-one relationship that was sent: null where it has none; undefined where it was not sent. */
function targetIn(sent: readonly Identifier[] | undefined): string | null | undefined {
  return sent && (sent[0]?.id ?? null)
}

/** The texts of sets of ids, or of maps by id. */
function texts(sets: ReadonlyMap<string, Iterable<unknown>>): Record<string, string> {
  return Object.fromEntries([...sets].map(([name, items]) => [name, textOf(items)]))
}

function textOf(items: Iterable<unknown>): string {
  return JSON.stringify([...items])
}
