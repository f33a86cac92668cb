import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { Identifier } from '../jsonapi/document.ts'
import type { Change, Edit } from '../jsonapi/run/store.ts'
import { keyColumn, storedRelationship } from './source.ts'
import type { Bindable } from './statement.ts'
import type { ColumnValues } from './write-sql.ts'

/**
 * What the earlier edits of a write will have changed when an edit is made, as far as it can matter for that edit. It follows
 * from the edits alone, so that all of them can be judged before the first one is made. It leaves out what foreign keys change along
 * with a resource that is deleted, but for members of relationships.
 */
interface Earlier {
  /** The ids of the resources that are gone by then, and of those that are made and not gone again, by type. */
  readonly gone: ReadonlyMap<string, ReadonlySet<string>>
  readonly made: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * The new values of the columns of unique attributes, by column (`type.column`) and id. The value of a resource that is gone is
   * null.
   */
  readonly held: ReadonlyMap<string, ReadonlyMap<string, Bindable>>
  /** What has happened to the members of the to-many relationships that the edit changes, by relationship. */
  readonly members: ReadonlyMap<string, Members>
}

/** What earlier edits have made of the members of one relationship. */
interface Members {
  /** Are those that are stored members still, but for `touched`? */
  readonly isStored: boolean
  /** The ids of members that were added or removed. */
  readonly touched: ReadonlySet<string>
  /** The ids of those among them that are members. */
  readonly added: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/** What no edits have changed, as JSON. */
export const nothingEarlier = '{}'

/**
 * Makes the function that takes the edits of a write in their order, each with the values of the columns that it sets, and gives
 * for each what the earlier ones will have changed: {@link Earlier} as JSON, to be bound.
 */
export function inTurn(
  registry: Registry,
): (edit: Pick<Edit, 'type' | 'change'>, values: ColumnValues) => string {
  const gone = new Map<string, Set<string>>()
  const made = new Map<string, Set<string>>()
  const held = new Map<string, Map<string, Bindable>>()
  /** By type, id and relationship. */
  const members = new Map<string, Members>()

  return ({ type, change }, values) => {
    const { kind, id } = change
    const definition = registry.get(type)
    const now = new Map<string, Members>()
    for (const [name, sent] of Object.entries(linkageOf(change))) {
      const { cardinality, target } = storedRelationship(definition, name)
      if (cardinality === 'many') {
        const key = JSON.stringify([type, id, name])
        const isStored = !made.get(type)?.has(id)
        const before = members.get(key) ?? { isStored, touched: none, added: none }
        const left = gone.get(target) ?? none
        now.set(name, {
          isStored: before.isStored,
          touched: before.touched.union(left),
          added: before.added.difference(left),
        })
        members.set(key, membersAfter(before, kind, new Set(sent.map((member) => member.id))))
      }
    }
    const text = textOf({ gone, made, held, members: now })

    if (kind === 'delete') {
      made.get(type)?.delete(id)
    }
    if (kind === 'delete' || kind === 'create') {
      const ids = kind === 'delete' ? gone : made
      ids.set(type, (ids.get(type) ?? new Set()).add(id))
    }
    for (const { name } of uniqueColumns(definition)) {
      const value = kind === 'delete' ? null : values[`column ${name}`]
      if (value !== undefined) {
        const column = `${type}.${name}`
        held.set(column, (held.get(column) ?? new Map()).set(id, value))
      }
    }
    return text
  }
}

/** The columns of unique attributes. */
function uniqueColumns(definition: ResourceDefinition): SQLiteColumn[] {
  const { attributes } = definition
  return Object.keys(attributes)
    .filter((name) => attributes[name]?.stored.unique)
    .map((name) => keyColumn(definition, name))
}

/** The members of a relationship after a change of it. */
function membersAfter(before: Members, kind: Change['kind'], sent: ReadonlySet<string>): Members {
  const { isStored, touched, added } = before
  switch (kind) {
    case 'add':
      return { isStored, touched: touched.union(sent), added: added.union(sent) }
    case 'remove':
      return { isStored, touched: touched.union(sent), added: added.difference(sent) }
    default:
      return { isStored: false, touched: none, added: sent }
  }
}

/** As JSON: sets as arrays, maps as objects. */
function textOf({ gone, made, held, members }: Earlier): string {
  return JSON.stringify({
    gone: objectOf(gone, (ids) => [...ids]),
    made: objectOf(made, (ids) => [...ids]),
    held: objectOf(held, Object.fromEntries),
    members: objectOf(members, ({ isStored, touched, added }) => ({
      isStored,
      touched: [...touched],
      added: [...added],
    })),
  })
}

function objectOf<Value>(
  map: ReadonlyMap<string, Value>,
  write: (value: Value) => unknown,
): object {
  return Object.fromEntries([...map].map(([name, value]) => [name, write(value)]))
}

/** The identifiers that a change holds, by relationship. */
export function linkageOf(change: Change): Readonly<Record<string, readonly Identifier[]>> {
  return 'relationships' in change
    ? change.relationships
    : 'members' in change
      ? { [change.relationship]: change.members }
      : {}
}
