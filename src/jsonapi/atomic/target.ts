import type { Registry } from '../declare/registry.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import { isObject } from '../json.ts'
import { type ErrorCode, faultCodes, quote, sentence } from '../problems.ts'
import { decoded } from '../request/query.ts'

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
  operation: SentOperation,
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
  { op, ref, href, data }: SentOperation,
  root: string,
  add: AddFault,
): SentTarget | undefined {
  if (ref !== undefined && href !== undefined) {
    add('VALUE_INVALID_FORMAT', 'An operation has ref or href, but not both.', '/href')
  } else if (typeof href === 'string') {
    return ofPath(href, root, add)
  } else if (isObject(ref)) {
    return ofRef(ref, add)
  } else if (ref !== undefined || href !== undefined) {
    // The schema of transactions reports it.
    return undefined
  } else if (op !== 'remove' && isObject(data)) {
    return ofData(data, add)
  } else if (op !== 'add' && op !== 'update') {
    add('VALUE_IS_ABSENT', 'The operation names no target: "ref" or "href" is required here.', '')
  } else {
    const [code, must, pointer] =
      data === undefined
        ? (['VALUE_IS_ABSENT', 'is required', ''] as const)
        : data === null
          ? (['VALUE_IS_ABSENT', 'must not be null', '/data'] as const)
          : (['VALUE_INVALID_FORMAT', 'must be an object', '/data'] as const)
    const where = 'where an operation has neither "ref" nor "href"'
    add(code, sentence('"data"', `${must} ${where}`, data), pointer)
  }
  return undefined
}

function ofData({ type, id, lid }: SentOperation, add: AddFault): SentTarget {
  if (type === undefined || type === null) {
    add('VALUE_IS_ABSENT', '"type" is required.', '/data')
  } else if (typeof type !== 'string') {
    add('VALUE_INVALID_FORMAT', sentence('"type"', 'must be a string', type), '/data/type')
  }
  return { type, id, lid, at: '/data' }
}

function ofRef({ type, id, lid, relationship }: SentOperation, add: AddFault): SentTarget {
  if (id !== undefined && lid !== undefined) {
    add('VALUE_INVALID_FORMAT', 'A ref has an id or a lid, but not both.', '/ref/lid')
  } else if (id === undefined && lid === undefined) {
    add('VALUE_IS_ABSENT', '"id" or "lid" is required.', '/ref')
  }
  return { type, id, lid, relationship, at: '/ref' }
}

/** The forms of paths that a transaction can write to, below the root. The groups are type, id and relationship. */
const pathForm = /^\/([^/?#]+)(?:\/([^/?#]+)(?:\/relationships\/([^/?#]+))?)?$/

/** The target that a path names, in the form that links of the service have. */
function ofPath(href: string, root: string, add: AddFault): SentTarget | undefined {
  const parts = href.startsWith(root) ? pathForm.exec(href.slice(root.length)) : null
  if (!parts || decoded(href) === undefined) {
    const detail = `${quote(href)} is not the path of a collection, a resource or a relationship below ${root}. A ref can name the target by its type and id.`
    add('VALUE_INVALID_FORMAT', detail, '/href')
    return undefined
  }
  const [type, id, relationship] = parts.slice(1).map((part) => part && decoded(part))
  return { type, id, relationship, at: '/href' }
}
