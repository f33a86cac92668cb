import type { Registry } from '../declare/registry.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import { isObject } from '../json.ts'
import { type ErrorCode, faultCodes, quote, sentence } from '../problems.ts'
import { decoded } from '../request/query.ts'

/** The target of an operation of a transaction as it was sent. */
interface SentTarget {
  readonly type: unknown
  readonly id?: unknown
  readonly lid?: unknown
  readonly relationship?: unknown
  /** The pointer below the operation to the member that names the target. */
  readonly at: '/ref' | '/href' | '/data'
}

/** The target of an operation of a transaction, whose type and relationship are declared. */
export interface Target extends SentTarget {
  readonly definition: ResourceDefinition
  readonly relationship: string | undefined
}

/** Adds a fault at a pointer below the operation. */
export type AddFault = (code: ErrorCode, detail: string, pointer: string) => void

/**
 * Finds the target of an operation. `ref` or `href` names it, or in an add or an update that has neither, the resource object. Adds
 * NOT_FOUND for a type or a relationship that is not declared.
 */
export function targetOf(
  registry: Registry,
  root: string,
  operation: Readonly<Record<string, unknown>>,
  add: AddFault,
): Target | undefined {
  const target = sentTarget(operation, root, add)
  const { type, relationship } = target ?? {}
  if (
    !target ||
    typeof type !== 'string' ||
    (relationship !== undefined && typeof relationship !== 'string')
  ) {
    return undefined
  }
  if (!registry.types.includes(type)) {
    const detail = `There is no resource type ${quote(type)}.`
    add(faultCodes.undeclared, detail, pointerIn(target, 'type'))
    return undefined
  }
  const definition = registry.get(type)
  if (relationship !== undefined && !Object.hasOwn(definition.relationships, relationship)) {
    const detail = `Resources of type ${type} have no relationship ${quote(relationship)}.`
    add(faultCodes.undeclared, detail, pointerIn(target, 'relationship'))
    return undefined
  }
  return { ...target, definition, relationship }
}

/** The pointer below the operation to a part of its target. A path is one text, whatever of it is meant. */
export function pointerIn({ at }: SentTarget, part: 'type' | 'id' | 'relationship'): string {
  return at === '/href' ? at : `${at}/${part}`
}

function sentTarget(
  { op, ref, href, data }: Readonly<Record<string, unknown>>,
  root: string,
  add: AddFault,
): SentTarget | undefined {
  if (ref !== undefined && href !== undefined) {
    add('VALUE_INVALID_FORMAT', 'An operation has ref or href, but not both.', '/href')
    return undefined
  }
  if (typeof href === 'string') {
    return ofPath(href, root, add)
  }
  if (ref !== undefined || href !== undefined) {
    return isObject(ref) ? ofRef(ref, add) : undefined
  }
  if (op !== 'remove' && isObject(data)) {
    return ofData(data, add)
  }
  const where = 'where an operation has neither "ref" nor "href"'
  if (op !== 'add' && op !== 'update') {
    add('VALUE_IS_ABSENT', 'The operation names no target: "ref" or "href" is required here.', '')
  } else if (data === undefined) {
    add('VALUE_IS_ABSENT', `"data" is required ${where}.`, '')
  } else if (data === null) {
    add('VALUE_IS_ABSENT', `"data" must not be null ${where}.`, '/data')
  } else {
    add('VALUE_INVALID_FORMAT', sentence('"data"', `must be an object ${where}`, data), '/data')
  }
  return undefined
}

function ofData(data: Record<string, unknown>, add: AddFault): SentTarget {
  const { type, id, lid } = data
  if (type === undefined || type === null) {
    add('VALUE_IS_ABSENT', '"type" is required.', '/data')
  } else if (typeof type !== 'string') {
    add('VALUE_INVALID_FORMAT', sentence('"type"', 'must be a string', type), '/data/type')
  }
  return { type, id, lid, at: '/data' }
}

function ofRef(ref: Record<string, unknown>, add: AddFault): SentTarget {
  const { type, id, lid, relationship } = ref
  if (id !== undefined && lid !== undefined) {
    add('VALUE_INVALID_FORMAT', 'A ref has an id or a lid, but not both.', '/ref/lid')
  } else if (id === undefined && lid === undefined) {
    add('VALUE_IS_ABSENT', '"id" or "lid" is required.', '/ref')
  }
  return { type, id, lid, relationship, at: '/ref' }
}

/** The target that a path names, in the form that links of the service have. */
function ofPath(href: string, root: string, add: AddFault): SentTarget | undefined {
  const segments = href.startsWith(`${root}/`) ? href.slice(root.length + 1).split('/', 5) : []
  const [type, id, marker, relationship] = segments.map(decoded)
  const isForm =
    segments.length < 5 &&
    !/[?#]/.test(href) &&
    !segments.includes('') &&
    type !== undefined &&
    (segments.length < 2 || id !== undefined) &&
    (segments.length < 3 || (marker === 'relationships' && relationship !== undefined))
  if (!isForm) {
    const detail = `${quote(href)} is not the path of a collection, a resource or a relationship below ${root}. A ref can name the target by its type and id.`
    add('VALUE_INVALID_FORMAT', detail, '/href')
    return undefined
  }
  return { type, id, relationship, at: '/href' }
}
