import { FaultList, listed } from '../errors.ts'
import type { Schema } from '../verdict.ts'
import { allows, type Principal } from './access-rule.ts'
import type { ResourceDefinition } from './resource.ts'

// The rules that sorts and filters share: what can be compared, how text is folded, and who may compare it.

/** A text without case: the form in which unique values, and items of filters by them, are compared. */
export function fold(text: string): string {
  return text.toLowerCase()
}

/** How many characters of a text an order compares. */
const maxSortLength = 128

/** The text that a text is sorted by: its letters without case and accents. */
export function letters(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return [...folded].slice(0, maxSortLength).join('')
}

/** The attributes that `sort` accepts. */
export function sortsOf({ attributes }: ResourceDefinition): string[] {
  return Object.keys(attributes).filter((name) => attributes[name]?.sortable)
}

/** What makes the schema of one item of each `filter[…]`, by name. */
export function filtersOf({
  id,
  attributes,
}: ResourceDefinition): Readonly<Record<string, () => Schema<string, string>>> {
  const filters = Object.entries({ ...(id && { id }), ...attributes }).flatMap(
    ([name, { schema, filter }]) => (filter ? [[name, filter === true ? schema : filter]] : []),
  )
  return Object.fromEntries(filters)
}

/**
 * May the caller read this field in all resources, not only in own ones? Otherwise an order or the result of a filter would reveal
 * its values. This follows from the access rules of the attribute and of its members.
 */
export function canCompare(
  { attributes }: ResourceDefinition,
  field: string,
  principal: Principal,
): boolean {
  const attribute = attributes[field]
  const rules = attribute && [attribute, ...Object.values(attribute.members ?? {})]
  return rules?.every(({ access }) => allows(access, principal, false)) ?? field === 'id'
}

/** The faults of filters by attributes that the caller may not read. */
export function filterFaults(
  definition: ResourceDefinition,
  filters: readonly string[],
  principal: Principal,
): FaultList {
  const isAllowed = (name: string) => canCompare(definition, name, principal)
  const faults = new FaultList()
  for (const name of filters.filter((each) => !isAllowed(each))) {
    const allowed = listed(Object.keys(filtersOf(definition)).filter(isAllowed))
    faults.add(() => ({
      code: 'INVALID_ENUM_VALUE',
      detail: `This caller may not filter by ${name}. Allowed: ${allowed}.`,
      source: { parameter: `filter[${name}]` },
    }))
  }
  return faults
}
