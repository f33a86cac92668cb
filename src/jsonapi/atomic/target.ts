import * as z from 'zod/mini'
import { lazy } from '../../lib/cache.ts'
import { type Place, placesOf, type Registry } from '../declare/registry.ts'
import { isObject } from '../json.ts'
import { type ProblemList, quote } from '../problems.ts'
import { reportIssue } from '../request/body.ts'
import { decodePart } from '../request/query.ts'
import { validateWith } from '../zod.ts'
import { operationCodes } from './extension.ts'

/** An operation of a transaction as it was sent. */
export type SentOperation = Readonly<Record<string, unknown>>

/** The target of an operation as it was sent. */
interface SentTarget {
  readonly type: unknown
  readonly id?: unknown
  readonly lid?: unknown
  readonly relationship?: unknown
  /** The pointer below the operation to the member that names the target. */
  readonly at: '/ref' | '/href' | '/data'
}

/** The target of an operation, whose type and relationship are declared. */
export type Target = Omit<SentTarget, 'relationship'> & Place

/**
 * Finds the target of an operation. `ref` or `href` names it. In an add or update without them, the resource object does. Adds
 * NOT_FOUND for a type or a relationship that is not declared.
 *
 * @param problems gets the problems of the operation, with pointers below it
 */
export function findTarget(
  registry: Registry,
  root: string,
  operation: SentOperation,
  problems: ProblemList,
): Target | undefined {
  const target = sentTarget(operation, root, problems)
  const { type, relationship } = target ?? {}
  if (
    !target ||
    typeof type !== 'string' ||
    (relationship !== undefined && typeof relationship !== 'string')
  ) {
    return undefined
  }
  const definition = registry.types.includes(type) ? registry.get(type) : undefined
  const places = definition ? placesOf(definition) : []
  const place = places.find((one) => one.relationship === relationship)
  if (place) {
    return { ...target, ...place }
  }
  const detail = definition
    ? `Resources of type ${type} have no relationship ${quote(relationship)}.`
    : `There is no resource type ${quote(type)}.`
  const pointer = pointerIn(target, definition ? 'relationship' : 'type')
  problems.addProblem(detail, { pointer }, operationCodes.undeclared)
  return undefined
}

/** The pointer below the operation to a part of its target. For a path, all parts have one pointer. A `lid` may stand in place of the id. */
export function pointerIn(
  { at, id, lid }: Omit<SentTarget, 'relationship'>,
  part: 'type' | 'id' | 'relationship',
): string {
  const member = part === 'id' && id === undefined && lid !== undefined ? 'lid' : part
  return at === '/href' ? at : `${at}/${member}`
}

/** The form of an operation whose `data` names the target. */
const namedByData = lazy(() => {
  const must = 'must be an object where an operation has neither "ref" nor "href"'
  return z.looseObject({ data: z.looseObject({ type: z.string() }, must) })
})

function sentTarget(
  operation: SentOperation,
  root: string,
  problems: ProblemList,
): SentTarget | undefined {
  const { op, ref, href } = operation
  if (ref !== undefined && href !== undefined) {
    problems.addProblem('An operation has ref or href, but not both.', { pointer: '/href' })
  } else if (typeof href === 'string') {
    return ofPath(href, root, problems)
  } else if (isObject(ref)) {
    return ofRef(ref, problems)
  } else if (ref === undefined && href === undefined && op === 'remove') {
    const detail = 'The operation names no target: "ref" or "href" is required here.'
    problems.addProblem(detail, { pointer: '' }, 'VALUE_IS_ABSENT')
  } else if (ref === undefined && href === undefined) {
    return ofData(operation, problems)
  }
  // The schema of transactions reports a ref that is no object and a path that is no text.
  return undefined
}

function ofData(operation: SentOperation, problems: ProblemList): SentTarget | undefined {
  const valid = validateWith(namedByData(), operation, (issue) =>
    reportIssue(issue, problems, operation),
  )
  return valid && { type: valid.data.type, id: valid.data.id, lid: valid.data.lid, at: '/data' }
}

/** Adds the problem of an object that names a resource, and has neither an id nor a lid. */
export function addNoIdentity(pointer: string, problems: ProblemList): void {
  problems.addProblem('"id" or "lid" is required.', { pointer }, 'VALUE_IS_ABSENT')
}

function ofRef({ type, id, lid, relationship }: SentOperation, problems: ProblemList): SentTarget {
  if (id !== undefined && lid !== undefined) {
    problems.addProblem('A ref has an id or a lid, but not both.', { pointer: '/ref/lid' })
  } else if (id === undefined && lid === undefined) {
    addNoIdentity('/ref', problems)
  }
  return { type, id, lid, relationship, at: '/ref' }
}

/** The forms of paths that a transaction can write to, below the root. The groups are type, id, `relationships` and relationship. */
const pathForm = /^\/([^/?#]+)(?:\/([^/?#]+)(?:\/([^/?#]+)\/([^/?#]+))?)?$/

/** The target that a path names, in the form that links of the service have. */
function ofPath(href: string, root: string, problems: ProblemList): SentTarget | undefined {
  const parts = href.startsWith(root) ? pathForm.exec(href.slice(root.length)) : null
  const [type, id, marker = 'relationships', relationship] =
    parts?.slice(1).map((part) => part && decodePart(part)) ?? []
  if (!parts || decodePart(href) === undefined || marker !== 'relationships') {
    const detail = `${quote(href)} is not the path of a collection, a resource or a relationship below ${root}. A ref can name the target by its type and id.`
    problems.addProblem(detail, { pointer: '/href' })
    return undefined
  }
  return { type, id, relationship, at: '/href' }
}
