import { FaultList } from '../errors.ts'
import { listed, type Schema } from '../validate.ts'
import { allows, type Principal } from './access.ts'
import type { ResourceDefinition } from './resource.ts'

// What sorts and filters share: what there is to compare, how text is compared, and who may.

/** What a request sorts and filters by: names of attributes, and `id`. */
export interface Uses {
  readonly sort: readonly string[]
  readonly filter: readonly string[]
}

/** The form of a text in which it is compared without case: what is unique, and items of filters. */
export function fold(text: string): string {
  return text.toLowerCase()
}

/** How many characters of a text an order looks at. */
const mostLetters = 128

/** The form of a text that it is sorted by: its letters without case and without accents (contract, section 7). */
export function letters(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  // In most texts there are fewer units than characters are looked at.
  return folded.length <= mostLetters ? folded : [...folded].slice(0, mostLetters).join('')
}

/** The attributes that `sort` takes. */
export function sortsOf({ attributes }: ResourceDefinition): string[] {
  return Object.keys(attributes).filter((name) => attributes[name]?.sortable)
}

/** What `filter[…]` takes: by name, the schema of one item. */
export function filtersOf({
  id,
  attributes,
}: ResourceDefinition): Readonly<Record<string, Schema<string, string>>> {
  const filters = Object.entries({ ...(id && { id }), ...attributes }).flatMap(
    ([name, { schema, filter }]) => (filter ? [[name, filter === true ? schema : filter]] : []),
  )
  return Object.fromEntries(filters)
}

/**
 * An order tells of the values it is made of, and so does what a filter finds: who may not read an attribute of every
 * resource may neither sort nor filter by it. This follows from the access rules of the attribute itself and of its
 * members (contract, section 4).
 */
export function readableFaults(
  definition: ResourceDefinition,
  { sort, filter }: Uses,
  principal: Principal,
): FaultList {
  const isReadable = (name: string): boolean => {
    const attribute = definition.attributes[name]
    const rules = attribute && [attribute, ...Object.values(attribute.members ?? {})]
    return rules?.every(({ access }) => allows(access, principal, false)) ?? name === 'id'
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
