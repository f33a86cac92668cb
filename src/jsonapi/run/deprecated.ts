import type { Principal } from '../declare/access.ts'
import type { Deprecation } from '../declare/deprecation.ts'
import { type Endpoint, subjectOf } from '../declare/endpoint.ts'
import { isRead } from '../declare/operation.ts'
import type { Registry } from '../declare/registry.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import { queryRules } from '../request/parameters.ts'
import type { Payload } from '../request/payload.ts'
import type { IncludeTree, QuerySpec } from '../request/query.ts'
import { seesLinkage, viewOf } from './view.ts'

/** Is the operation deprecated, or can a request to it use a deprecated attribute? */
export function canUseDeprecated(registry: Registry, endpoint: Endpoint): boolean {
  const { definition, rule } = endpoint
  const types = registry.types.filter((type) =>
    Object.values(registry.get(type).attributes).some(({ deprecated }) => deprecated),
  )
  const subject = subjectOf(registry, endpoint)
  return (
    rule.deprecated !== undefined ||
    types.some((type) =>
      [definition, subject].some((from) => registry.reachable(from.type).includes(type)),
    )
  )
}

/** What a valid request of a caller holds. */
interface Asked {
  readonly principal: Principal
  /** Undefined for an operation of a transaction, which has no query. */
  readonly query?: Pick<QuerySpec, 'include' | 'fields' | 'sort' | 'filter'>
  readonly payload: Payload
}

const noQuery: NonNullable<Asked['query']> = {
  include: undefined,
  fields: new Map(),
  sort: [],
  filter: {},
}

/**
 * The deprecations of the attributes that a valid request uses, by type and name (`articles.handle`): it sends them, sorts or
 * filters by them, or asks for them, which means that an answer would show them to this caller (contract, section 20). The request
 * and the caller alone decide, not what is stored, so that equal requests get equal headers.
 */
export function attributesUsed(
  registry: Registry,
  asked: Pick<Endpoint, 'definition' | 'operation' | 'relationship'>,
  { principal, query = noQuery, payload }: Asked,
): Map<string, Deprecation> {
  const { definition, operation } = asked
  const used = new Map<string, Deprecation>()
  const use = ({ type, attributes }: ResourceDefinition, names: readonly string[]): void => {
    for (const name of names) {
      const deprecated = attributes[name]?.deprecated
      if (deprecated) {
        used.set(`${type}.${name}`, deprecated)
      }
    }
  }
  const show = (shown: ResourceDefinition): void => {
    const place = { isIncluded: false, follows: new Set<string>() }
    const { own } = viewOf(shown, principal, query.fields.get(shown.type), place)
    // A caller sees no attribute of the resources of others that it does not see of its own.
    use(
      shown,
      own.map(({ name }) => name),
    )
  }
  const follow = (from: ResourceDefinition, tree: IncludeTree): void => {
    for (const [name, subtree] of tree) {
      const target = from.relationships[name]?.target
      if (target !== undefined && seesLinkage(from, name, principal)) {
        show(registry.get(target))
        follow(registry.get(target), subtree)
      }
    }
  }
  const { definition: subject, relationship: linkage, collection } = queryRules(registry, asked)
  if (operation === 'create' || (isRead(operation) && linkage === undefined)) {
    show(subject)
  }
  follow(subject, query.include ?? new Map())
  if (collection) {
    use(collection, [...query.sort.map(({ field }) => field), ...Object.keys(query.filter)])
  }
  use(definition, Object.keys(payload.attributes))
  return used
}
