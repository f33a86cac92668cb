import type { Member, Named, Op, ToMany, Wish, WriteRequest } from './requests.ts'

/** A user as the model holds it. */
export interface User {
  readonly id: string
  readonly owner: string
  readonly fullName: string
  readonly email: string
  readonly placeOfBirth: string | null
  readonly citizenships: Members
  readonly relatives: Members
  /** Undefined until it has been seen: the service makes it. */
  readonly revision: string | undefined
}

/** Members of a relationship by their ids, with what relatives are to the user. */
export type Members = Readonly<Record<string, string>>

/** All users by their ids. */
export type Users = ReadonlyMap<string, User>

/** An error as far as the contract fixes it. */
export interface Fault {
  readonly status: string
  readonly code: string
  readonly source?: object
}

/** Why an operation cannot be done (contract, section 2). */
type Reason = 'absent' | 'foreign' | 'stale' | 'dangling' | 'taken' | 'full'

/** What becomes of operations: all are done, or none. */
export type Outcome =
  | {
      readonly users: Users
      /** By operation: what it has added, as that was right after it. */
      readonly added: readonly (User | undefined)[]
    }
  | { readonly reason: Reason; readonly faults: readonly Fault[] }

/** Countries that exist. */
const countries: ReadonlySet<string> = new Set(['NO', 'SE', 'CH'])

/** Users that one person may own (contract, section 15). */
export const mostOwned = 4

/**
 * Does the operations of a request one after the other, as if they were alone.
 *
 * @param made the ids of the users that it adds, in their order
 */
export function perform(before: Users, request: WriteRequest, made: readonly string[]): Outcome {
  const { caller, ops, isTransaction, ifMatch } = request
  const ids = new Map<string, string>()
  const added: (User | undefined)[] = []
  const users = new Map(before)
  let creates = 0
  for (const [at, op] of ops.entries()) {
    const idOf = (named: Named): string => ('id' in named ? named.id : (ids.get(named.lid) ?? ''))
    const id = op.kind === 'create' ? (made[creates++] ?? '') : idOf(op.user)
    if (op.kind === 'create' && op.lid !== undefined) {
      ids.set(op.lid, id)
    }
    const prefix = isTransaction ? `/atomic:operations/${at}` : undefined
    const refused = judge(users, op, { id, caller, ifMatch, prefix, idOf })
    if (refused) {
      return refused
    }
    change(users, op, id, caller, idOf)
    added.push(op.kind === 'create' ? users.get(id) : undefined)
  }
  return { users, added }
}

interface Judged {
  readonly id: string
  readonly caller: string
  readonly ifMatch: string | undefined
  /** What the pointers of an operation begin with; undefined: the operation is the request. */
  readonly prefix: string | undefined
  readonly idOf: (named: Named) => string
}

/** Judges an operation in the order of the contract, section 2. */
function judge(users: Users, op: Op, judged: Judged): Extract<Outcome, { reason: Reason }> | null {
  const { id, caller, ifMatch, prefix, idOf } = judged
  const pointer = (below: string): object => ({ pointer: `${prefix ?? ''}${below}` })
  const refuse = (reason: Reason, ...faults: Fault[]) => ({ reason, faults })
  const user = users.get(id)
  if (op.kind !== 'create') {
    const source = prefix === undefined ? { path: 'id' } : pointer(placeOf(op))
    if (!user) {
      return refuse('absent', { status: '404', code: 'NOT_FOUND', source })
    }
    if (user.owner !== caller) {
      return refuse('foreign', { status: '403', code: 'INSUFFICIENT_ENTITLEMENTS', source })
    }
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== user.revision) {
      const source = { header: 'If-Match' }
      return refuse('stale', { status: '412', code: 'PRECONDITION_FAILED', source })
    }
  } else if (user) {
    // An id that was made for a user which is there: the work of an earlier attempt.
    return refuse('taken')
  }
  const dangling = targetsOf(op)
    .filter(({ exists }) => !exists(users, idOf))
    .map(({ at }) => ({ status: '404', code: 'NOT_FOUND', source: pointer(at) }))
  if (dangling.length > 0) {
    return refuse('dangling', ...dangling)
  }
  const email = 'wish' in op ? op.wish.email?.toLowerCase() : undefined
  const others = [...users.values()].filter((other) => other.id !== id)
  if (others.some((other) => other.email.toLowerCase() === email)) {
    const source = pointer('/data/attributes/email')
    return refuse('taken', { status: '409', code: 'CONFLICT', source })
  }
  const owned = others.filter(({ owner }) => owner === caller).length
  return op.kind === 'create' && owned >= mostOwned
    ? refuse('full', { status: '409', code: 'CONFLICT', source: pointer('/data') })
    : null
}

/** Where an operation of a transaction names its target. */
function placeOf(op: Exclude<Op, { readonly kind: 'create' }>): string {
  return op.by === 'href' ? '/href' : `/${op.by}/${'id' in op.user ? 'id' : 'lid'}`
}

interface Target {
  readonly at: string
  readonly exists: (users: Users, idOf: Judged['idOf']) => boolean
}

/** What must exist for an operation to be done, and where it is named. */
function targetsOf(op: Op): Target[] {
  const country = (id: string | null | undefined, at: string): Target[] =>
    typeof id === 'string' ? [{ at: `${at}/id`, exists: () => countries.has(id) }] : []
  const members = (name: ToMany, list: readonly Member[] = [], at: string): Target[] =>
    list.map((member, index) => ({
      at: `${at}/${index}/${'id' in member ? 'id' : 'lid'}`,
      exists: (users, idOf) => (name === 'relatives' ? users : countries).has(idOf(member)),
    }))
  switch (op.kind) {
    case 'create':
    case 'update': {
      const { placeOfBirth, citizenships, relatives } = op.wish
      const at = (name: string): string => `/data/relationships/${name}/data`
      return [
        ...country(placeOfBirth, at('placeOfBirth')),
        ...members('citizenships', citizenships, at('citizenships')),
        ...members('relatives', relatives, at('relatives')),
      ]
    }
    case 'birth':
      return country(op.country, '/data')
    case 'add':
    case 'replace':
      return members(op.name, op.members, '/data')
    default:
      return []
  }
}

type IdOf = Judged['idOf']

/** Does an operation that was found to be possible. */
function change(users: Map<string, User>, op: Op, id: string, caller: string, idOf: IdOf): void {
  if (op.kind !== 'delete') {
    const user = users.get(id) ?? blank(id, caller)
    users.set(id, { ...user, ...changesOf(op, user, idOf), revision: undefined })
    return
  }
  users.delete(id)
  for (const other of users.values()) {
    users.set(other.id, { ...other, relatives: without(other.relatives, (one) => one === id) })
  }
}

function changesOf(
  op: Exclude<Op, { readonly kind: 'delete' }>,
  user: User,
  idOf: IdOf,
): Partial<User> {
  switch (op.kind) {
    case 'create':
    case 'update':
      return wished(op.wish, idOf)
    case 'birth':
      return { placeOfBirth: op.country }
    case 'replace':
      return { [op.name]: membersOf(op.members, idOf) }
    case 'add':
      return { [op.name]: { ...user[op.name], ...membersOf(op.members, idOf) } }
    case 'remove': {
      const gone = membersOf(op.members, idOf)
      return { [op.name]: without(user[op.name], (member) => member in gone) }
    }
  }
}

function blank(id: string, owner: string): User {
  const nothing = { placeOfBirth: null, citizenships: {}, relatives: {}, revision: undefined }
  return { id, owner, fullName: '', email: '', ...nothing }
}

function wished({ citizenships, relatives, ...rest }: Wish, idOf: IdOf): Partial<User> {
  return {
    ...rest,
    ...(citizenships && { citizenships: membersOf(citizenships, idOf) }),
    ...(relatives && { relatives: membersOf(relatives, idOf) }),
  }
}

function membersOf(members: readonly Member[], idOf: IdOf): Members {
  return Object.fromEntries(members.map((member) => [idOf(member), member.kinship ?? '']))
}

function without(members: Members, isGone: (id: string) => boolean): Members {
  return Object.fromEntries(Object.entries(members).filter(([id]) => !isGone(id)))
}
