import { allows, type Principal } from '../declare/access-rule.ts'
import type { WriteOperation } from '../declare/operation.ts'
import { type ResourceDefinition, ruleOf } from '../declare/resource.ts'
import type { Payload } from '../request/body.ts'
import type { Edit } from './port.ts'

/** A valid write operation, of a request of its own or of a transaction. */
export interface Writable {
  readonly definition: ResourceDefinition
  readonly operation: WriteOperation
  readonly relationship: string | undefined
  /** The id of its resource; a new one for a create. */
  readonly id: string
  readonly payload: Payload
}

/** What each write operation does to its resource. A PATCH of a relationship is an update of its resource. */
const kinds: Readonly<Record<WriteOperation, Edit['kind']>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  replaceOne: 'update',
  replaceMany: 'update',
  addMany: 'add',
  removeMany: 'remove',
}

/** The edit that carries out a valid write operation of a caller, under further conditions and with what is to be read after it. */
export function editOf(
  { definition, operation, relationship, id, payload }: Writable,
  principal: Principal,
  further: Pick<Edit, 'ifMatch' | 'ifNoneMatch' | 'maxLinks' | 'read'> = {},
): Edit {
  const rule = ruleOf(definition, operation, relationship)
  // A caller who needs no ownership may write any resource of the type. A new resource belongs to its creator.
  const isAnyones = operation !== 'create' && rule && allows(rule.access, principal, false)
  const linkage = Object.entries(payload.relationships).map(([name, sent]) => [
    name,
    // What is sent twice counts once.
    [...new Map(sent.map((one) => [one.id, one])).values()],
  ])
  return {
    type: definition.type,
    id,
    kind: kinds[operation],
    attributes: payload.attributes,
    relationships: Object.fromEntries(linkage),
    owner: isAnyones ? null : principal.id,
    revision: newRevision(),
    ...further,
  }
}

/**
 * Makes the revision of a new edit: 96 random bits of a UUID (RFC 9562, section 5.4) as 24 hexadecimal digits, so that nobody can guess
 * one, and no two edits make the same. To fill an array with random bytes costs several times as much.
 */
function newRevision(): string {
  const uuid = crypto.randomUUID()
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24)
}
