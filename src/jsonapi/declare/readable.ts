import { FaultList, listed } from '../errors.ts'
import type { Schema } from '../validate.ts'
import { allows, type Principal } from './access.ts'
import type { ResourceDefinition } from './resource.ts'

// The rules that sorts and filters share: what can be compared, how text is folded, and who may compare it.

/** What a request sorts by and filters by: names of attributes, and `id`. */
export interface Uses {
  readonly sort: readonly string[]
  readonly filter: readonly string[]
}

/** A text without case: the form in which unique values, and items of filters by them, are compared. */
export function fold(text: string): string {
  return text.toLowerCase()
}

/** The most characters of a text that an order compares. */
const mostLetters = 128

/** The text that a text is sorted by: its letters without case and accents (contract, section 7). */
export function letters(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return [...folded].slice(0, mostLetters).join('')
}

/** The attributes that `sort` takes. */
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

/** The ways in which a filter can compare a value with those that were asked for. */
export type Comparison = 'equals'

/**
 * The field that a filter compares, and how. The name of a filter is what stands between the outer brackets of its parameter:
 * `filter[name]` compares by `equals`, and `filter[name][other]` would by `other`.
 */
export function comparedBy(filter: string): {
  readonly field: string
  readonly comparison: Comparison
} {
  const [field = '', comparison = 'equals'] = filter.split('][') as [string?, Comparison?]
  return { field, comparison }
}

/**
 * The faults of sorts and filters by attributes that the caller may not read of every resource (contract, section 4): an order
 * or the result of a filter would tell the values. This follows from the access rules of the attribute and of its members.
 */
export function readableFaults(
  definition: ResourceDefinition,
  { sort, filter }: Uses,
  principal: Principal,
): FaultList {
  const isReadable = (name: string): boolean => {
    const { field } = comparedBy(name)
    const attribute = definition.attributes[field]
    const rules = attribute && [attribute, ...Object.values(attribute.members ?? {})]
    return rules?.every(({ access }) => allows(access, principal, false)) ?? field === 'id'
  }
  const faults = new FaultList()
  const demand = (verb: string, names: readonly string[], declared: () => string[]): void => {
    for (const name of names.filter((each) => !isReadable(each))) {
      const allowed = listed(declared().filter(isReadable))
      faults.add(() => ({
        code: 'INVALID_ENUM_VALUE',
        detail: `This caller may not ${verb} by ${name}. Allowed: ${allowed}.`,
        source: { parameter: verb === 'sort' ? 'sort' : `filter[${name}]` },
      }))
    }
  }
  demand('sort', sort, () => sortsOf(definition))
  demand('filter', filter, () => Object.keys(filtersOf(definition)))
  return faults
}
