import { ApiError, faultCodes, type Problem } from '../errors.ts'
import { pointerToken } from '../json.ts'
import { linkagePointer } from '../request/payload.ts'
import { nameText, type Places } from '../request/places.ts'
import type { Writable } from './edit.ts'
import { linkageLimit } from './plan.ts'
import { absent } from './read.ts'
import { pathOf } from './render.ts'
import type { Refusal } from './store.ts'

/**
 * The error of a write operation that the store has refused (contract, section 2).
 *
 * @param root the root path
 */
export function refused(
  root: string,
  writable: Writable,
  refusal: Refusal,
  places: Places,
): ApiError {
  const { definition, id } = writable
  const { resource, pointer, nameOf } = places
  const name = nameOf(id)
  const subject = `resource of type ${definition.type} with the ${nameText(name)}`
  switch (refusal.kind) {
    case 'absent':
      return absent(definition.type, name, resource)
    case 'foreign':
      return ApiError.of(faultCodes.foreign, `Only its owner may change the ${subject}.`, resource)
    case 'stale':
      return preconditionFailed(
        `If-Match names no current state of the ${subject}. Read it again, and send the ETag of that answer.`,
      )
    case 'needed': {
      const detail = `The ${subject} cannot be deleted, because other resources need it.`
      return ApiError.of('CONFLICT', detail, resource)
    }
    case 'linked': {
      const detail = `The ${subject} is named by more than ${refusal.most} members of relationships, too many to delete it in a transaction. Send DELETE ${pathOf(root, definition.type, id)} as a request of its own.`
      return ApiError.of(faultCodes.linked, detail, resource)
    }
    case 'unshown':
      return new ApiError(
        asProblems(
          refusal.relationships.map((relationship) => {
            // A resource that the transaction itself has added has no path that the client could use.
            const other =
              name.member === 'id'
                ? `PATCH ${pathOf(root, definition.type, id)}/relationships/${relationship}`
                : 'An update of the relationship itself'
            return {
              code: faultCodes.unshown,
              detail: `The relationship ${relationship} has more than the ${linkageLimit} members that a resource object shows. ${other} replaces all of them.`,
              source: { pointer: pointer(`/data/relationships${pointerToken(relationship)}`) },
            }
          }),
        ),
      )
    case 'dangling':
      return new ApiError(
        asProblems(refusal.targets.map((target) => missing(writable, target, places))),
      )
    case 'taken':
      return new ApiError(
        asProblems(
          refusal.attributes.map((name) => ({
            code: faultCodes.taken,
            detail: `Another resource has this ${name}.`,
            source: { pointer: pointer(`/data/attributes/${name}`) },
          })),
        ),
      )
    case 'full':
      return exceeded(writable, refusal, pointer)
  }
}

/** The error of an `If-Match` that does not hold (contract, section 9). */
export function preconditionFailed(detail: string): ApiError {
  return ApiError.of(faultCodes.stale, detail, { header: 'If-Match' })
}

function exceeded(
  { definition, relationship: endpoint }: Writable,
  { relationship, most }: Extract<Refusal, { readonly kind: 'full' }>,
  pointer: Places['pointer'],
): ApiError {
  return relationship === undefined
    ? ApiError.of(
        faultCodes.full,
        `A person owns at most ${most} resources of type ${definition.type}. Delete one to make room.`,
        { pointer: pointer('/data') },
      )
    : ApiError.of(
        faultCodes.full,
        `The relationship ${relationship} can have at most ${most} members, and this request would make it more.`,
        { pointer: pointer(linkagePointer(relationship, endpoint !== undefined)) },
      )
}

function missing(
  { definition, relationship: endpoint, payload: { relationships } }: Writable,
  { relationship, id }: { readonly relationship: string; readonly id: string },
  { pointer, nameOf }: Places,
): Problem {
  const declared = definition.relationships[relationship]
  const index = relationships[relationship]?.findIndex((member) => member.id === id) ?? -1
  const at = declared?.cardinality === 'many' ? `/${index}` : ''
  return {
    code: faultCodes.dangling,
    detail: `There is no resource of type ${declared?.target} with the ${nameText(nameOf(id))}.`,
    source: { pointer: pointer(`${linkagePointer(relationship, endpoint !== undefined)}${at}/id`) },
  }
}

function asProblems(problems: readonly Problem[]): readonly [Problem, ...Problem[]] {
  const [first, ...rest] = problems
  if (!first) {
    throw new Error('The store has refused a write without naming a fault')
  }
  return [first, ...rest]
}
