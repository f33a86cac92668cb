import { ApiError, type ErrorSource, faultCodes, type Problem, quote } from '../errors.ts'
import { linkagePointer } from '../request/body.ts'
import type { Writable } from './edit.ts'
import type { Fault, Refusal } from './port.ts'
import { absent } from './read.ts'
import { pathOf } from './render.ts'

/** The error of a condition that does not hold. */
export function preconditionFailed(header: 'If-Match' | 'If-None-Match', detail: string): ApiError {
  return ApiError.of(faultCodes.stale, detail, { header })
}

/**
 * The problems of a write operation that the store has refused.
 *
 * @param root the root path
 */
export function refusalProblems(
  root: string,
  writable: Writable,
  { faults }: Refusal,
): readonly Problem[] {
  return faults.flatMap((fault) => problemsOf(root, writable, fault))
}

function problemsOf(root: string, writable: Writable, fault: Fault): readonly Problem[] {
  const { definition, relationship: endpoint, id, payload } = writable
  const code = faultCodes[fault.kind]
  const subject = `resource of type ${definition.type} with the id ${quote(id)}`
  const resource: ErrorSource = { path: 'id' }
  const at = (pointer: string): ErrorSource => ({ pointer })
  switch (fault.kind) {
    case 'absent':
      return absent(definition.type, id).problems
    case 'foreign':
      return [{ code, detail: `Only its owner may change the ${subject}.`, source: resource }]
    case 'stale':
      return (
        fault.condition === 'ifMatch'
          ? preconditionFailed(
              'If-Match',
              `If-Match names no current state of the ${subject}. Read it again, and send the ETag of that answer.`,
            )
          : preconditionFailed(
              'If-None-Match',
              `If-None-Match names the current state of the ${subject}.`,
            )
      ).problems
    case 'linked': {
      const path = pathOf(root, definition.type, id)
      const detail = `The ${subject} is named by more than ${fault.max} members of relationships, too many to delete it in a transaction. Send DELETE ${path} as a request of its own.`
      return [{ code, detail, source: resource }]
    }
    case 'dangling': {
      const { relationship, id } = fault
      const declared = definition.relationships[relationship]
      const index = payload.relationships[relationship]?.findIndex((member) => member.id === id)
      const member = declared?.cardinality === 'many' ? `/${index}` : ''
      const linkage = linkagePointer(relationship, endpoint !== undefined)
      const detail = `There is no resource of type ${declared?.target} with the id ${quote(id)}.`
      return [{ code, detail, source: at(`${linkage}${member}/id`) }]
    }
    case 'taken': {
      const { attribute } = fault
      const detail = `Another resource has this ${attribute}.`
      return [{ code, detail, source: at(`/data/attributes/${attribute}`) }]
    }
    case 'full': {
      const { relationship, max } = fault
      const [detail, pointer] =
        relationship === undefined
          ? [
              `A person owns at most ${max} resources of type ${definition.type}. Delete one to make room.`,
              '/data',
            ]
          : [
              `The relationship ${relationship} can have at most ${max} members, and this request would make it more.`,
              linkagePointer(relationship, endpoint !== undefined),
            ]
      return [{ code, detail, source: at(pointer) }]
    }
  }
}
