import type { StoredDefinition } from '../../../../src/db/source.ts'
import { articles } from './articles.ts'
import { people } from './people.ts'
import { tags } from './tags.ts'

/**
 * Tells what a registry says of the second domain with one of its types declared in another way: the message of its error, or
 * `served`.
 *
 * @param create makes the registry
 */
export function problemOf<Definition extends { readonly type: string }>(
  create: (definitions: readonly (Definition | StoredDefinition)[]) => unknown,
): (changed: Definition) => string {
  return (changed) => {
    const others = [articles, people, tags].filter(({ type }) => type !== changed.type)
    try {
      create([changed, ...others])
    } catch (error) {
      return (error as Error).message
    }
    return 'served'
  }
}
