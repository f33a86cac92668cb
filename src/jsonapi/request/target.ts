import type { Registry } from '../declare/registry.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import { type ErrorCode, faultCodes } from '../errors.ts'
import { isObject, isStorable } from '../json.ts'
import { valueAt } from '../validate.ts'
import { quote, sentence } from '../wording.ts'
import { longestId, notAnId } from './body.ts'

/** The target of an operation of a transaction as it was sent. */
export interface Target {
  readonly type: unknown
  readonly id?: unknown
  readonly lid?: unknown
  readonly relationship?: unknown
  /** Pointers below the operation: to the member that names the target, to its type, and to its id, where a lid may stand. */
  readonly pointer: string
  readonly typePointer: string
  readonly idPointer: string
}

/** A target whose type and relationship are declared. */
export interface DeclaredTarget extends Target {
  readonly definition: ResourceDefinition
  readonly relationship: string | undefined
}

/**
 * Finds the target of an operation. `ref` or `href` names it, or in an add or an update that has neither, the resource object
 * (contract, section 13).
 *
 * @param add adds a fault at a pointer below the operation
 */
export function targetOf(item: unknown, root: string, add: AddFault): Target | undefined {
  const ref = valueAt(item, ['ref'])
  const href = valueAt(item, ['href'])
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
  const data = valueAt(item, ['data'])
  const op = valueAt(item, ['op'])
  if (op !== 'remove' && isObject(data)) {
    const [type, id, lid] = ['type', 'id', 'lid'].map((name) => valueAt(data, [name]))
    if (type === undefined || type === null) {
      add('VALUE_IS_ABSENT', '"type" is required.', '/data')
    } else if (typeof type !== 'string') {
      add('VALUE_INVALID_FORMAT', sentence('"type"', 'must be a string', type), '/data/type')
    }
    return {
      type,
      id,
      lid,
      pointer: '/data',
      typePointer: '/data/type',
      idPointer: '/data/id',
    }
  }
  if (op === 'add' || op === 'update') {
    unusable(data, add)
  } else {
    add('VALUE_IS_ABSENT', 'The operation names no target: "ref" or "href" is required here.', '')
  }
  return undefined
}

/** Adds the fault of `data` that holds no resource object, in an operation that has no other target. */
function unusable(data: unknown, add: AddFault): void {
  const where = 'where an operation has neither "ref" nor "href"'
  if (data === undefined) {
    add('VALUE_IS_ABSENT', `"data" is required ${where}.`, '')
  } else if (data === null) {
    add('VALUE_IS_ABSENT', `"data" must not be null ${where}.`, '/data')
  } else {
    add('VALUE_INVALID_FORMAT', sentence('"data"', `must be an object ${where}`, data), '/data')
  }
}

/** Adds a fault at a pointer below the operation. */
export type AddFault = (code: ErrorCode, detail: string, pointer: string) => void

function ofRef(ref: object, add: AddFault): Target {
  const [id, lid] = [valueAt(ref, ['id']), valueAt(ref, ['lid'])]
  if (id !== undefined && lid !== undefined) {
    add('VALUE_INVALID_FORMAT', 'A ref has an id or a lid, but not both.', '/ref/lid')
  } else if (id === undefined && lid === undefined) {
    add('VALUE_IS_ABSENT', '"id" or "lid" is required.', '/ref')
  }
  return {
    type: valueAt(ref, ['type']),
    id,
    lid,
    relationship: valueAt(ref, ['relationship']),
    pointer: '/ref',
    typePointer: '/ref/type',
    idPointer: '/ref/id',
  }
}

/** The target that a path names, in the form that links of the service have. */
function ofPath(href: string, root: string, add: AddFault): Target | undefined {
  const segments = href.startsWith(`${root}/`) ? href.slice(root.length + 1).split('/') : []
  const [type, id, marker, relationship, ...rest] = segments.map(decoded)
  const isForm =
    rest.length === 0 &&
    !/[?#]/.test(href) &&
    !segments.includes('') &&
    type !== undefined &&
    (segments.length < 2 || id !== undefined) &&
    (segments.length < 3 || (marker === 'relationships' && relationship !== undefined))
  if (!isForm) {
    const detail = `${quote(href)} is not the path of a collection, a resource or a relationship below ${root}.`
    add('VALUE_INVALID_FORMAT', detail, '/href')
    return undefined
  }
  const at = { pointer: '/href', typePointer: '/href', idPointer: '/href' }
  return { type, id, relationship, ...at }
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The target with its declaration. Adds NOT_FOUND for a type or a relationship that is not declared. */
export function declaredTarget(
  registry: Registry,
  target: Target,
  add: AddFault,
): DeclaredTarget | undefined {
  const { type, relationship, typePointer, pointer } = target
  if (
    typeof type !== 'string' ||
    (relationship !== undefined && typeof relationship !== 'string')
  ) {
    return undefined
  }
  if (!registry.types.includes(type)) {
    add(faultCodes.undeclared, `There is no resource type ${quote(type)}.`, typePointer)
    return undefined
  }
  const definition = registry.get(type)
  if (relationship !== undefined && !Object.hasOwn(definition.relationships, relationship)) {
    const at = pointer === '/ref' ? '/ref/relationship' : pointer
    add(
      faultCodes.undeclared,
      `Resources of type ${type} have no relationship ${quote(relationship)}.`,
      at,
    )
    return undefined
  }
  return { ...target, definition, relationship }
}

/** The id that was sent for a target, if one was. Adds a fault for an id that a path could not hold (contract, section 6). */
export function sentId({ id, idPointer }: Target, add: AddFault): string | undefined {
  if (typeof id !== 'string') {
    return undefined
  }
  if (id.length > longestId || !isStorable(id) || id === '') {
    add('VALUE_INVALID_FORMAT', notAnId(id), idPointer)
    return undefined
  }
  return id
}
