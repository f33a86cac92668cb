import { ApiError, type ErrorSource, faultCodes, type Problem, quote } from '../errors.ts'
import { linkagePointer } from '../request/body.ts'
import type { Writable } from './edit.ts'
import { absent } from './read.ts'
import { pathOf } from './render.ts'
import type { Refusal } from './store.ts'

/** The error of an `If-Match` that does not hold (contract, section 9). */
export function preconditionFailed(detail: string): ApiError {
  return ApiError.of(faultCodes.stale, detail, { header: 'If-Match' })
}

/**
 * The problems of a write operation that the store has refused.
 *
 * @param root the root path
 */
export function refusalProblems(
  root: string,
  writable: Writable,
  refusal: Refusal,
): readonly Problem[] {
  const { definition, relationship: endpoint, id } = writable
  const subject = `resource of type ${definition.type} with the id ${quote(id)}`
  const resource: ErrorSource = { path: 'id' }
  const path = pathOf(root, definition.type, id)
  switch (refusal.kind) {
    case 'absent':
      return absent(definition.type, id).problems
    case 'foreign': {
      const detail = `Only its owner may change the ${subject}.`
      return [{ code: faultCodes.foreign, detail, source: resource }]
    }
    case 'stale':
      return preconditionFailed(
        `If-Match names no current state of the ${subject}. Read it again, and send the ETag of that answer.`,
      ).problems
    case 'linked': {
      const detail = `The ${subject} is named by more than ${refusal.most} members of relationships, too many to delete it in a transaction. Send DELETE ${path} as a request of its own.`
      return [{ code: faultCodes.linked, detail, source: resource }]
    }
    case 'dangling':
      return refusal.targets.map((target) => missing(writable, target))
    case 'taken':
      return refusal.attributes.map((attribute) => ({
        code: faultCodes.taken,
        detail: `Another resource has this ${attribute}.`,
        source: { pointer: `/data/attributes/${attribute}` },
      }))
    case 'full': {
      const { relationship, most } = refusal
      return relationship === undefined
        ? [
            {
              code: faultCodes.full,
              detail: `A person owns at most ${most} resources of type ${definition.type}. Delete one to make room.`,
              source: { pointer: '/data' },
            },
          ]
        : [
            {
              code: faultCodes.full,
              detail: `The relationship ${relationship} can have at most ${most} members, and this request would make it more.`,
              source: { pointer: linkagePointer(relationship, endpoint !== undefined) },
            },
          ]
    }
  }
}

/** The problem of a target of linkage that does not exist. */
function missing(
  { definition, relationship: endpoint, payload: { relationships } }: Writable,
  { relationship, id }: { readonly relationship: string; readonly id: string },
): Problem {
  const declared = definition.relationships[relationship]
  const index = relationships[relationship]?.findIndex((member) => member.id === id) ?? -1
  const at = declared?.cardinality === 'many' ? `/${index}` : ''
  const pointer = `${linkagePointer(relationship, endpoint !== undefined)}${at}/id`
  return {
    code: faultCodes.dangling,
    detail: `There is no resource of type ${declared?.target} with the id ${quote(id)}.`,
    source: { pointer },
  }
}
