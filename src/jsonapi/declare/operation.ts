/** The shape of a path below the root, by what the path names. */
export type PathShape = 'collection' | 'item' | 'toOne' | 'toMany' | 'related'

/** What all operations of a name have in common. */
export interface OperationShape {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly on: PathShape
  /** The status of success, unless a declaration sets another. */
  readonly status: number
  /** Is the primary data of the answer an array? */
  readonly many?: true
  /** What a write does to its resource. A PATCH of a relationship is an update of its resource. */
  readonly edit?: 'create' | 'update' | 'delete' | 'add' | 'remove'
}

/** The generic operations of every resource kind. */
export const operations = {
  list: { method: 'GET', on: 'collection', status: 200, many: true },
  create: { method: 'POST', on: 'collection', status: 201, edit: 'create' },
  get: { method: 'GET', on: 'item', status: 200 },
  update: { method: 'PATCH', on: 'item', status: 204, edit: 'update' },
  delete: { method: 'DELETE', on: 'item', status: 204, edit: 'delete' },
  readOne: { method: 'GET', on: 'toOne', status: 200 },
  replaceOne: { method: 'PATCH', on: 'toOne', status: 204, edit: 'update' },
  readMany: { method: 'GET', on: 'toMany', status: 200, many: true },
  replaceMany: { method: 'PATCH', on: 'toMany', status: 204, edit: 'update' },
  addMany: { method: 'POST', on: 'toMany', status: 204, edit: 'add' },
  removeMany: { method: 'DELETE', on: 'toMany', status: 204, edit: 'remove' },
  relatedOne: { method: 'GET', on: 'related', status: 200 },
  relatedMany: { method: 'GET', on: 'related', status: 200, many: true },
} as const satisfies Record<string, OperationShape>

/** The name of a generic operation. */
export type Operation = keyof typeof operations

type On<Shape extends PathShape> = {
  [Name in Operation]: (typeof operations)[Name]['on'] extends Shape ? Name : never
}[Operation]

/** Operations on a collection or an item. */
export type ResourceOperation = On<'collection' | 'item'>
/** Operations on a to-one relationship. */
export type ToOneOperation = On<'toOne'>
/** Operations on a to-many relationship. */
export type ToManyOperation = On<'toMany'>
/** Operations that change nothing. */
export type ReadOperation = 'list' | 'get' | 'readOne' | 'readMany' | 'relatedOne' | 'relatedMany'
/** Operations that change something. */
export type WriteOperation = Exclude<Operation, ReadOperation>

/** Does the path of the operation hold an id? */
export function hasId(operation: Operation): boolean {
  return operations[operation].on !== 'collection'
}

/** Does the operation change nothing? */
export function isRead(operation: Operation): operation is ReadOperation {
  return operations[operation].method === 'GET'
}

/** Does the operation read related resources, not their identifiers? */
export function isRelated(operation: Operation): boolean {
  return operations[operation].on === 'related'
}

/** Does the operation read a body? A delete ignores one. */
export function acceptsBody(operation: Operation): operation is Exclude<WriteOperation, 'delete'> {
  return !isRead(operation) && operation !== 'delete'
}

/** The methods that a shape of path can have, in the order of the table. */
export function methodsOf(shape: PathShape): readonly string[] {
  const methods = Object.values(operations)
    .filter((operation) => operation.on === shape)
    .map((operation) => operation.method)
  return [...new Set(methods)]
}
