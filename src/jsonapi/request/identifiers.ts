import { valueAt } from '../validate.ts'
import { mostIdentifiers } from './body.ts'

/**
 * How many resource identifiers an object with `data` holds: in the linkage of a relationship, or in all relationships of
 * a resource object.
 */
export function identifiersIn(body: unknown): number {
  const data = valueAt(body, ['data'])
  const linkages = Array.isArray(data)
    ? [data]
    : Object.values(Object(valueAt(data, ['relationships']))).map((each) => valueAt(each, ['data']))
  let count = 0
  for (const linkage of linkages) {
    count += Array.isArray(linkage) ? linkage.length : 1
  }
  return count
}

/**
 * The identifiers of a body that its price depends on, before it is validated.
 *
 * @returns 0 also where there are more than a body may hold: such a body is refused
 */
export function countIdentifiers(body: unknown): number {
  const count = identifiersIn(body)
  return count > mostIdentifiers ? 0 : count
}
