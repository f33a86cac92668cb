import { valueAt } from '../validate.ts'
import { mostIdentifiers } from './body.ts'

/**
 * The number of resource identifiers in an object with `data`: in the linkage of a relationship, or in all relationships of a
 * resource object.
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
 * The number of identifiers of a body by which it is priced. The body is not validated yet.
 *
 * @returns 0 also where the body holds more than it may, because it is going to be refused
 */
export function countIdentifiers(body: unknown): number {
  const count = identifiersIn(body)
  return count > mostIdentifiers ? 0 : count
}
