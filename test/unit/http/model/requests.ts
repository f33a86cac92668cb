/** A resource that a request names: by its id, or by the name that an earlier operation of the transaction gave it. */
export type Named = { readonly id: string } | { readonly lid: string }

/** A relationship to many of a user. */
export type ToMany = 'citizenships' | 'relatives'

/** A member of a relationship; of relatives with what it is to the user. */
export type Member = Named & { readonly kinship?: string }

/** What an operation sets. */
export interface Wish {
  readonly fullName?: string
  readonly email?: string
  readonly placeOfBirth?: string | null
  readonly citizenships?: readonly Member[]
  readonly relatives?: readonly Member[]
}

/** Where an operation of a transaction names its target. */
export type By = 'ref' | 'href' | 'data'

/** One operation: the one of a request, or one of a transaction. */
export type Op =
  | { readonly kind: 'create'; readonly lid?: string; readonly wish: Wish }
  | { readonly kind: 'update'; readonly user: Named; readonly by: By; readonly wish: Wish }
  | { readonly kind: 'delete'; readonly user: Named; readonly by: By }
  | {
      readonly kind: 'birth'
      readonly user: Named
      readonly by: By
      readonly country: string | null
    }
  | {
      readonly kind: 'add' | 'remove' | 'replace'
      readonly user: Named
      readonly by: By
      readonly name: ToMany
      readonly members: readonly Member[]
    }

/** A request that changes something, as it is sent, and sent again. */
export interface WriteRequest {
  readonly caller: string
  /** One operation for itself, or any number as a transaction. */
  readonly ops: readonly Op[]
  readonly isTransaction: boolean
  readonly key?: string | undefined
  /** The revision in `If-Match`; `*` as it is. */
  readonly ifMatch?: string | undefined
}

/** What HTTP is told of a request. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

const mediaType = 'application/vnd.api+json'
const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

/** A request as HTTP. */
export function sentOf({ ops, isTransaction, key, ifMatch }: WriteRequest): Sent {
  const headers = {
    ...(key !== undefined && { 'Idempotency-Key': key }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch === '*' ? '*' : `"${ifMatch}."` }),
  }
  if (isTransaction) {
    const types = { Accept: atomicType, 'Content-Type': atomicType }
    const body = { 'atomic:operations': ops.map(operationOf) }
    return { method: 'POST', path: '/operations', headers: { ...headers, ...types }, body }
  }
  const [op] = ops
  if (!op) {
    throw new Error('A request has an operation')
  }
  const type = op.kind === 'delete' ? {} : { 'Content-Type': mediaType }
  const body = op.kind === 'delete' ? {} : { body: { data: dataOf(op) } }
  return { method: methods[op.kind], path: pathOf(op), headers: { ...headers, ...type }, ...body }
}

const methods = {
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
  birth: 'PATCH',
  add: 'POST',
  remove: 'DELETE',
  replace: 'PATCH',
} as const

const verbs = {
  create: 'add',
  update: 'update',
  delete: 'remove',
  birth: 'update',
  add: 'add',
  remove: 'remove',
  replace: 'update',
} as const

/** An operation as an element of `atomic:operations`. */
function operationOf(op: Op): object {
  const data = op.kind === 'delete' ? {} : { data: dataOf(op) }
  return { op: verbs[op.kind], ...targetOf(op), ...data }
}

function targetOf(op: Op): object {
  if (op.kind === 'create' || op.by === 'data') {
    return {}
  }
  const relationship = relationshipOf(op)
  return op.by === 'href'
    ? { href: pathOf(op) }
    : { ref: { type: 'users', ...op.user, ...(relationship !== undefined && { relationship }) } }
}

function relationshipOf(op: Op): string | undefined {
  return op.kind === 'birth' ? 'placeOfBirth' : 'name' in op ? op.name : undefined
}

function pathOf(op: Op): string {
  const relationship = relationshipOf(op)
  const id = 'user' in op && 'id' in op.user ? `/${op.user.id}` : ''
  return `/users${id}${relationship === undefined ? '' : `/relationships/${relationship}`}`
}

function dataOf(op: Exclude<Op, { readonly kind: 'delete' }>): unknown {
  switch (op.kind) {
    case 'create':
      return { type: 'users', ...(op.lid !== undefined && { lid: op.lid }), ...wished(op.wish) }
    case 'update':
      return { type: 'users', ...op.user, ...wished(op.wish) }
    case 'birth':
      return countryOf(op.country)
    default:
      return op.members.map((member) => identifierOf(op.name, member))
  }
}

function wished({ fullName, email, placeOfBirth, citizenships, relatives }: Wish): object {
  return {
    attributes: { ...(fullName && { fullName }), ...(email && { email }) },
    relationships: {
      ...(placeOfBirth !== undefined && { placeOfBirth: { data: countryOf(placeOfBirth) } }),
      ...(citizenships && { citizenships: linked('citizenships', citizenships) }),
      ...(relatives && { relatives: linked('relatives', relatives) }),
    },
  }
}

function linked(name: ToMany, members: readonly Member[]): object {
  return { data: members.map((member) => identifierOf(name, member)) }
}

function countryOf(id: string | null): object | null {
  return id === null ? null : { type: 'countries', id }
}

function identifierOf(name: ToMany, { kinship, ...named }: Member): object {
  return name === 'citizenships'
    ? { type: 'countries', ...named }
    : { type: 'users', ...named, meta: { relationshipType: kinship } }
}
