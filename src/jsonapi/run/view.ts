import { type AccessRule, allows, type Principal } from '../declare/access.ts'
import { isRead, type Operation } from '../declare/operation.ts'
import type { Relationship, ResourceDefinition } from '../declare/resource.ts'
import type { FieldTree } from '../request/query.ts'
import type { ResourceRecord, Selection } from './store.ts'

/** An attribute as one caller sees it: the members that were asked for, and those that are hidden from the caller. */
export interface ShownAttribute {
  readonly name: string
  readonly keep: FieldTree | 'all'
  readonly hidden: readonly string[]
  /** May no cache keep an answer that shows a value of it? */
  readonly isSensitive: boolean
}

/** A relationship as one caller sees it. */
interface ShownRelationship {
  readonly name: string
  /** Is linkage shown: may the caller see it, and does a path follow it where the resource is included? Otherwise links alone are. */
  readonly linkage: boolean
}

/** What one caller sees of the resources of one type, narrowed to the fields that were asked for. */
export interface View {
  readonly definition: ResourceDefinition
  /** The attributes that are shown of resources that the caller owns. */
  readonly own: readonly ShownAttribute[]
  /** The attributes that are shown of all other resources. */
  readonly foreign: readonly ShownAttribute[]
  readonly relationships: readonly ShownRelationship[]
  readonly selection: Selection
}

/** Where a resource stands in a document, and the relationships that include paths follow from it. */
export interface Place {
  /** An included resource shows linkage of a to-many relationship only where an include path follows it (contract, section 8). */
  readonly isIncluded: boolean
  /** The relationships that are followed. Their linkage is read even where it is not shown. */
  readonly follows: { has(name: string): boolean }
}

/** Makes a view: applies access rules and sparse fieldsets to a type (contract, sections 4, 6 and 8). */
export function viewOf(
  definition: ResourceDefinition,
  principal: Principal,
  fields: FieldTree | undefined,
  { isIncluded, follows }: Place,
): View {
  const isCarried = (name: string, { cardinality }: Relationship): boolean =>
    !isIncluded || cardinality === 'one' || follows.has(name)
  const own = shownAttributes(definition, principal, fields, true)
  const foreign = shownAttributes(definition, principal, fields, false)
  const relationships = Object.entries(definition.relationships).map(([name, declared]) => ({
    name,
    linkage: isCarried(name, declared) && allows(declared.access, principal, 'maybe'),
  }))
  const isAsked = ({ name }: ShownRelationship): boolean => !fields || fields.has(name)
  const attributes = foreign.map(({ name }) => name)
  return {
    definition,
    own,
    foreign,
    relationships: relationships.filter(isAsked),
    selection: {
      attributes,
      ownAttributes: own.map(({ name }) => name).filter((name) => !attributes.includes(name)),
      relationships: relationships
        .filter((each) => each.linkage && (isAsked(each) || follows.has(each.name)))
        .map(({ name }) => name),
    },
  }
}

/** Does the view show a sensitive value of the resource? Then no cache may keep the answer. */
export function showsSensitive(
  { own, foreign }: View,
  { owned, attributes }: ResourceRecord,
): boolean {
  return (owned ? own : foreign).some(
    ({ name, isSensitive }) => isSensitive && attributes[name] != null,
  )
}

/** May the caller see the linkage of a relationship, and follow it with `include`? */
export function seesLinkage(
  definition: ResourceDefinition,
  name: string,
  principal: Principal,
): boolean {
  const relationship = definition.relationships[name]
  return relationship !== undefined && allows(relationship.access, principal, 'maybe')
}

/**
 * May the caller be told the revision of a resource? Its owner may, and so may whoever may write it without owning it. To others a
 * revision would tell when a value changes that they may not see (contract, section 9).
 */
export function seesRevision(
  { operations, relationships }: ResourceDefinition,
  principal: Principal,
  owned: boolean,
): boolean {
  return (
    owned ||
    [{ operations }, ...Object.values(relationships)].some((one) =>
      Object.entries(one.operations).some(
        ([name, { access }]) =>
          name !== 'create' && !isRead(name as Operation) && allows(access, principal, false),
      ),
    )
  )
}

function shownAttributes(
  { attributes }: ResourceDefinition,
  principal: Principal,
  fields: FieldTree | undefined,
  owned: boolean,
): ShownAttribute[] {
  const isSeen = ({ access }: { readonly access: AccessRule }): boolean =>
    allows(access, principal, owned)
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    if ((fields && !fields.has(name)) || !isSeen(attribute)) {
      return []
    }
    const { members = {}, sensitive = false } = attribute
    const hidden = Object.entries(members).flatMap(([member, rule]) => (isSeen(rule) ? [] : member))
    return { name, keep: fields?.get(name) ?? 'all', hidden, isSensitive: sensitive }
  })
}
