import { valueAt } from '../validate.ts'
import { mostIdentifiers } from './body.ts'

/**
 * How many resource identifiers a parsed body holds: in the linkage of a relationship, or in all relationships of a
 * resource object. The price of a write needs it before the body is validated.
 *
 * @returns 0 also where there are more than a body may hold: such a body is refused
 */
export function countIdentifiers(body: object): number {
  const data = valueAt(body, ['data'])
  const linkages = Array.isArray(data)
    ? [data]
    : Object.values(Object(valueAt(data, ['relationships']))).map((each) => valueAt(each, ['data']))
  let count = 0
  for (const linkage of linkages) {
    count += Array.isArray(linkage) ? linkage.length : 1
  }
  return count > mostIdentifiers ? 0 : count
}
