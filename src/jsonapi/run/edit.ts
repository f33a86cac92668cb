import { allows, type Principal } from '../declare/access.ts'
import type { WriteOperation } from '../declare/operation.ts'
import { type ResourceDefinition, ruleOf } from '../declare/resource.ts'
import type { Payload } from '../request/body.ts'
import type { Read } from './plan.ts'
import { newRevision } from './revision.ts'
import type { Change, Edit } from './store.ts'

/** A valid write operation, of a request of its own or of a transaction. */
export interface Writable {
  readonly definition: ResourceDefinition
  readonly operation: WriteOperation
  readonly relationship: string | undefined
  /** The id of the resource. */
  readonly id: string
  readonly payload: Payload
  /** The most members of relationships that may name a resource that is deleted; any number may if absent. */
  readonly mostLinks?: number
  /** The read that gives what the answer to a create shows. */
  readonly read?: Read
}

/**
 * The edit that carries out a write operation of a caller.
 *
 * @param expected the revisions of which the resource must have one; any revision will do if absent
 * @throws Error for a create without a `read`, which is a mistake in the program and never the caller's
 */
export function editOf(
  writable: Writable,
  principal: Principal,
  expected?: readonly string[],
): Edit {
  const { definition, operation, relationship } = writable
  const rule = ruleOf(definition, operation, relationship)
  // A caller whom the rule admits without owning the resource may write any. A new resource belongs to its creator.
  const isAnyones = operation !== 'create' && rule && allows(rule.access, principal, false)
  return {
    type: definition.type,
    change: changeOf(writable),
    owner: isAnyones ? null : principal.id,
    revision: newRevision(),
    ...(expected && { expected }),
  }
}

function changeOf(writable: Writable): Change {
  const { operation, relationship = '', id, payload, mostLinks, read } = writable
  const { attributes, relationships } = payload
  const members = relationships[relationship] ?? []
  switch (operation) {
    case 'create':
      if (!read) {
        throw new Error('A create has no read of the resource that it creates')
      }
      return { kind: 'create', id, attributes, relationships, read }
    case 'delete':
      return { kind: 'delete', id, ...(mostLinks !== undefined && { mostLinks }) }
    case 'addMany':
      return { kind: 'add', id, relationship, members }
    case 'removeMany':
      return { kind: 'remove', id, relationship, members }
    case 'replaceMany':
      return { kind: 'replace', id, relationship, members }
    default:
      // A to-one is part of its resource: replacing its linkage updates the resource.
      return { kind: 'update', id, attributes, relationships }
  }
}
