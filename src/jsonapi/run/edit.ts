import { allows, type Principal } from '../declare/access.ts'
import type { WriteOperation } from '../declare/operation.ts'
import { type ResourceDefinition, ruleOf } from '../declare/resource.ts'
import type { Payload } from '../request/body.ts'
import type { Change, Edit, Read } from './store.ts'

/** A valid write operation, of a request of its own or of a transaction. */
export interface Writable {
  readonly definition: ResourceDefinition
  readonly operation: WriteOperation
  readonly relationship: string | undefined
  /** The id of its resource; a new one for a create. */
  readonly id: string
  readonly payload: Payload
  /** Refuses a delete when more than this many members point at the resource. No limit if absent. */
  readonly maxLinks?: number
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
  const { operation, relationship = '', id, payload, maxLinks, read } = writable
  const { attributes, relationships } = payload
  const members = relationships[relationship] ?? []
  switch (operation) {
    case 'create':
      if (!read) {
        throw new Error('A create has no read of the resource that it creates')
      }
      return { kind: 'create', id, attributes, relationships, read }
    case 'delete':
      return { kind: 'delete', id, ...(maxLinks !== undefined && { maxLinks }) }
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

/**
 * Makes the revision of a new edit (contract, section 9): 96 random bits of a UUID (RFC 9562, section 5.4) as 24 hexadecimal
 * digits, so that nobody can guess one, and no two edits make the same. To fill an array with random bytes costs several times
 * as much.
 */
function newRevision(): string {
  const uuid = crypto.randomUUID()
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24)
}
