import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { Identifier } from '../jsonapi/document.ts'
import type { Change, Edit, Refusal } from '../jsonapi/run/store.ts'
import { keyOf, storedAttribute, storedRelationship } from './stored.ts'

/** The quotas of a caller. */
export interface Quotas {
  /** How many resources of one type a person may own. */
  readonly owned: number
  /** How many members a to-many relationship may have. */
  readonly members: number
}

/** What must be true of the database before any edit of a write is made. `at` is the index of the edit that needs it. */
export type Condition = { readonly at: number } & (
  | {
      /** The row is there, its owner is the caller, and it has an expected revision. */
      readonly kind: 'row'
      readonly type: string
      readonly id: string
      readonly owner: string | null
      readonly expected?: readonly string[] | undefined
    }
  | {
      /** At most `max` members of relationships point at the resource. */
      readonly kind: 'links'
      readonly type: string
      readonly id: string
      readonly max: number
    }
  | {
      /** All targets of a relationship are there. `gone`: those among them that earlier edits delete. */
      readonly kind: 'targets'
      readonly relationship: string
      readonly target: string
      readonly ids: readonly string[]
      readonly gone: readonly string[]
    }
  | {
      /** No row has the unique value, but for rows that earlier edits change. `isTaken`: one of these edits takes the value. */
      readonly kind: 'unique'
      readonly type: string
      readonly attribute: string
      readonly value: unknown
      readonly except: readonly string[]
      readonly isTaken: boolean
    }
  | {
      /** The person owns at most `max` rows, but for rows that earlier edits delete. */
      readonly kind: 'owned'
      readonly type: string
      readonly owner: string
      readonly except: readonly string[]
      readonly max: number
    }
  | {
      /** The relationship has at most `max` members besides the named ones, or all members that are added are there already. */
      readonly kind: 'members'
      readonly type: string
      readonly id: string
      readonly relationship: string
      readonly named: readonly string[]
      readonly added: readonly string[]
      readonly max: number
    }
  /** The edits alone show that this one cannot be made. */
  | { readonly kind: 'never'; readonly refusal: Refusal }
)

/** A condition without the index of its edit. */
type Needed = Condition extends infer One
  ? One extends Condition
    ? Omit<One, 'at'>
    : never
  : never

/** A refusal without the index of its edit. */
type Reason = Refusal extends infer One ? (One extends Refusal ? Omit<One, 'at'> : never) : never

/** A row that earlier edits have made or changed. `owner` is null where no edit had to know it. */
interface Known {
  readonly owner: string | null
  readonly revision: string
}

/** A to-many relationship that earlier edits have changed. */
interface Members {
  /** Do its stored members stay, but for the named ones? */
  readonly keepsOthers: boolean
  /** The ids that edits name: true for members. */
  readonly named: ReadonlyMap<string, boolean>
}

const untouched: Members = { keepsOthers: true, named: new Map() }
const empty: Members = { keepsOthers: false, named: new Map() }

/**
 * The conditions under which edits can be made in their order, in the order in which their refusals come. What earlier edits have made
 * or removed is simulated, so that each condition is about the database as it is before the first edit.
 */
export function conditionsOf(
  registry: Registry,
  quotas: Quotas,
  edits: readonly Edit[],
): readonly Condition[] {
  const conditions: Condition[] = []
  /** By type and id. */
  const known = new Map<string, Known>()
  /** The ids that are deleted, by type. */
  const gone = new Map<string, ReadonlySet<string>>()
  /** The ids of new resources and their owners, by type. */
  const made = new Map<string, Map<string, string | null>>()
  /** The unique values that edits set, by type and attribute, then by id. A deleted resource has none. */
  const held = new Map<string, Map<string, unknown>>()
  /** By type, id and relationship. */
  const members = new Map<string, Members>()

  for (const [at, edit] of edits.entries()) {
    const { type, change, owner, revision, expected } = edit
    const definition = registry.get(type)
    const { id, kind } = change
    const key = keyFor(type, id)
    const need = (condition: Needed): void =>
      void conditions.push({ at, ...condition } as Condition)
    const refuse = (reason: Reason): void =>
      need({ kind: 'never', refusal: { at, ...reason } as Refusal })
    const isGone = (target: string, one: string): boolean => gone.get(target)?.has(one) ?? false
    const row = known.get(key)
    const isNew = made.get(type)?.has(id) ?? false
    const mustOwn = definition.stored.owner ? owner : null

    if (kind !== 'create') {
      if (isGone(type, id)) {
        refuse({ kind: 'absent' })
      } else if (!row) {
        need({ kind: 'row', type, id, owner: mustOwn, expected })
      } else {
        if (mustOwn !== null && row.owner === null) {
          need({ kind: 'row', type, id, owner: mustOwn })
        } else if (mustOwn !== null && row.owner !== mustOwn) {
          refuse({ kind: 'foreign' })
        }
        if (expected && !expected.includes(row.revision)) {
          refuse({ kind: 'stale' })
        }
      }
    }
    if (kind === 'delete' && change.maxLinks !== undefined && !isNew) {
      need({ kind: 'links', type, id, max: change.maxLinks })
    }
    const linkage = linkageOf(change)
    if (kind !== 'remove') {
      for (const [relationship, sent] of Object.entries(linkage)) {
        const { target } = storedRelationship(definition, relationship)
        const ids = idsOf(sent).filter((one) => !known.has(keyFor(target, one)))
        if (ids.length > 0) {
          const deleted = ids.filter((one) => isGone(target, one))
          need({ kind: 'targets', relationship, target, ids, gone: deleted })
        }
      }
    }
    const unique = uniqueOf(definition, change)
    for (const [attribute, value] of Object.entries(unique)) {
      const others = held.get(keyFor(type, attribute)) ?? new Map()
      const isTaken = [...others].some(([one, other]) => one !== id && other === value)
      if (value !== null) {
        need({ kind: 'unique', type, attribute, value, except: [id, ...others.keys()], isTaken })
      }
    }
    if (kind === 'create' && mustOwn !== null) {
      const created = [...(made.get(type)?.values() ?? [])].filter((one) => one === mustOwn).length
      const max = quotas.owned - created - 1
      if (max < 0) {
        refuse({ kind: 'full', most: quotas.owned })
      } else {
        need({ kind: 'owned', type, owner: mustOwn, except: [...(gone.get(type) ?? [])], max })
      }
    }
    for (const [relationship, sent] of toManyOf(definition, linkage)) {
      const { target } = storedRelationship(definition, relationship)
      const before = members.get(keyFor(key, relationship)) ?? (isNew ? empty : untouched)
      const after = membersAfter(before, kind, idsOf(sent))
      members.set(keyFor(key, relationship), after)
      const added = [...after.named].flatMap(([one, isMember]) => (isMember ? [one] : []))
      const isMore = kind !== 'remove' && added.some((one) => !before.named.get(one))
      if (isMore && after.keepsOthers) {
        const named = [...new Set([...after.named.keys(), ...(gone.get(target) ?? [])])]
        const max = quotas.members - added.length
        need({ kind: 'members', type, id, relationship, named, added, max })
      } else if (isMore && added.length > quotas.members) {
        refuse({ kind: 'full', relationship, most: quotas.members })
      }
    }

    // The edit can be made: what later ones find.
    if (kind === 'delete') {
      known.delete(key)
      made.get(type)?.delete(id)
      gone.set(type, new Set([...(gone.get(type) ?? []), id]))
      leave(registry, members, type, id)
    } else {
      known.set(key, { owner: mustOwn ?? row?.owner ?? null, revision })
    }
    if (kind === 'create') {
      made.set(type, (made.get(type) ?? new Map()).set(id, mustOwn))
    }
    const freed = kind === 'delete' ? nothingUnique(definition) : unique
    for (const [attribute, value] of Object.entries(freed)) {
      const name = keyFor(type, attribute)
      held.set(name, (held.get(name) ?? new Map()).set(id, value))
    }
  }
  return conditions
}

/** The identifiers that a change holds, by relationship. */
export function linkageOf(change: Change): Readonly<Record<string, readonly Identifier[]>> {
  return 'relationships' in change
    ? change.relationships
    : 'members' in change
      ? { [change.relationship]: change.members }
      : {}
}

/** The distinct ids of identifiers. */
function idsOf(identifiers: readonly Identifier[]): string[] {
  return [...new Set(identifiers.map(({ id }) => id))]
}

/** The values of the unique attributes that a change sets, as their key columns hold them. */
function uniqueOf(definition: ResourceDefinition, change: Change): Record<string, unknown> {
  const sent = 'attributes' in change ? change.attributes : {}
  const values = Object.entries(sent).flatMap(([name, value]) => {
    const { unique, key } = storedAttribute(definition, name)
    return unique ? [[name, key ? keyOf(definition, name, value as string | null) : value]] : []
  })
  return Object.fromEntries(values)
}

/** No value for each unique attribute. */
function nothingUnique({ attributes }: ResourceDefinition): Record<string, null> {
  const names = Object.keys(attributes).filter((name) => attributes[name]?.stored.unique)
  return Object.fromEntries(names.map((name) => [name, null]))
}

function toManyOf(definition: ResourceDefinition, linkage: ReturnType<typeof linkageOf>) {
  return Object.entries(linkage).filter(
    ([name]) => storedRelationship(definition, name).cardinality === 'many',
  )
}

/** The members of a relationship after a change of it. */
function membersAfter(
  { keepsOthers, named }: Members,
  kind: Change['kind'],
  ids: readonly string[],
): Members {
  const changed = ids.map((id): [string, boolean] => [id, kind !== 'remove'])
  return kind === 'add' || kind === 'remove'
    ? { keepsOthers, named: new Map([...named, ...changed]) }
    : { keepsOthers: false, named: new Map(changed) }
}

/** A deleted resource is no member of any relationship any more. */
function leave(registry: Registry, all: Map<string, Members>, type: string, id: string): void {
  for (const [key, { keepsOthers, named }] of all) {
    const [owner = '', , relationship = ''] = key.split(' ')
    const { target } = storedRelationship(registry.get(owner), relationship)
    if (target === type && named.get(id)) {
      all.set(key, { keepsOthers, named: new Map([...named, [id, false]]) })
    }
  }
}

/** A key of a map. Types, ids and names of fields hold no spaces. */
function keyFor(...parts: readonly string[]): string {
  return parts.join(' ')
}
