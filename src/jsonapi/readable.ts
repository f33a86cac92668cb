import { allows, type Principal } from './access.ts'
import { FaultList } from './errors.ts'
import type { ResourceDefinition } from './resource.ts'
import { listed } from './validate.ts'

/** What a request sorts and filters by: names of attributes, and `id`. */
export interface Uses {
  readonly sort: readonly string[]
  readonly filter: readonly string[]
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
    const rules = attribute && [attribute.access, ...Object.values(attribute.memberAccess ?? {})]
    return rules?.every((rule) => allows(rule, principal, false)) ?? name === 'id'
  }
  const faults = new FaultList()
  const demand = (verb: string, names: readonly string[], declared: readonly string[]): void => {
    for (const name of names.filter((each) => !isReadable(each))) {
      const allowed = listed(declared.filter(isReadable))
      faults.add(() => ({
        code: 'INVALID_ENUM_VALUE',
        detail: `This caller may not ${verb} by ${name}. Allowed: ${allowed}.`,
        source: { parameter: verb === 'sort' ? 'sort' : `filter[${name}]` },
      }))
    }
  }
  demand('sort', sort, definition.sorts)
  demand('filter', filter, Object.keys(definition.filters))
  return faults
}
