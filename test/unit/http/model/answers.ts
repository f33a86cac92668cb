import type { Op, WriteRequest } from './requests.ts'
import { type Fault, type Outcome, perform, type User, type Users } from './world.ts'

/** What a key was used for (contract, section 12). */
interface Use {
  readonly request: string
  readonly created: readonly string[]
}

/** All that the model remembers. */
export interface State {
  readonly users: Users
  /** Keys by caller and key. */
  readonly keys: ReadonlyMap<string, Use>
}

/** What became of the answers of D1 to one request. */
export interface Weather {
  /** How many were lost. */
  readonly lost: number
  /** Was D1 asked in vain for good? Then nothing is sent again. */
  readonly final: boolean
  /** Had D1 carried out something whose answer was lost? */
  readonly ran: boolean
}

/** What the service answers. */
export interface Answer {
  readonly status: number
  readonly faults?: readonly Fault[]
  readonly replayed?: boolean
  /** What is shown: one user, or a result for each operation of a transaction. */
  readonly shown?: User | readonly (User | undefined)[]
  /** The user whose revision is in the ETag. */
  readonly tagged?: string | undefined
}

/** How often a write is sent at most (contract, section 14). */
const attempts = 3

/** What happened, in a word: so that a test sees what it has tried. */
export type Event = string

/** What a write does and answers. `made`: the ids that the service has made for what it adds. */
export function write(
  state: State,
  request: WriteRequest,
  made: readonly string[],
  weather: Weather,
): { readonly state: State; readonly answer: Answer; readonly event: Event } {
  const { lost, final, ran } = weather
  const isOver = final || lost >= attempts
  const name = request.key === undefined ? undefined : `${request.caller} ${request.key}`
  const use = name === undefined ? undefined : state.keys.get(name)
  if (use) {
    const [answer, event] = isOver
      ? ([unknown, 'lost replay'] as const)
      : replay(state.users, use, request)
    return { state, answer, event }
  }
  const outcome = perform(state.users, request, made)
  if ('reason' in outcome) {
    const [answer, event] = isOver
      ? ([unknown, 'lost refusal'] as const)
      : refusal(state.users, request, made, outcome, lost > 0)
    return { state, answer, event }
  }
  const keys =
    name === undefined ? [] : [[name, { request: textOf(request), created: made }] as const]
  const after: State = { users: outcome.users, keys: new Map([...state.keys, ...keys]) }
  if (isOver) {
    return {
      state: ran ? after : state,
      answer: unknown,
      event: ran ? 'done, lost' : 'not done, lost',
    }
  }
  if (!ran) {
    return { state: after, answer: done(request, outcome, made), event: 'done' }
  }
  // Done by an attempt whose answer was lost. It is told as what is there now, unless all of it can be done again.
  const again = name === undefined ? perform(after.users, request, made) : undefined
  const shown =
    again && !('reason' in again)
      ? again
      : { users: after.users, added: addedNow(after.users, request, made) }
  const replayed = name !== undefined && made.length === 0
  return {
    state: after,
    answer: { ...done(request, shown, made), replayed },
    event: 'done, found again',
  }
}

/** The answer to whom nothing can be told. */
const unknown: Answer = {
  status: 500,
  faults: [{ status: '500', code: 'INTERNAL_SERVER_ERROR' }],
}

/** The text by which requests are the same. */
function textOf({ ops, isTransaction }: WriteRequest): string {
  return JSON.stringify([isTransaction, ops])
}

function done(
  { ops, isTransaction }: WriteRequest,
  { added }: Extract<Outcome, { readonly users: Users }>,
  made: readonly string[],
): Answer {
  const [op] = ops
  if (isTransaction) {
    return { status: 200, shown: added }
  }
  if (op?.kind === 'create') {
    return { status: 201, ...(added[0] && { shown: added[0] }), tagged: made[0] }
  }
  return { status: 204, tagged: op?.kind === 'delete' ? undefined : targetOf(op, made) }
}

function targetOf(op: Op | undefined, made: readonly string[]): string | undefined {
  return op && 'user' in op && 'id' in op.user ? op.user.id : made[0]
}

/** What adds have made, as it is now. */
function addedNow(users: Users, { ops }: WriteRequest, made: readonly string[]) {
  const ids = made[Symbol.iterator]()
  return ops.map(({ kind }) => (kind === 'create' ? users.get(ids.next().value ?? '') : undefined))
}

function replay(users: Users, use: Use, request: WriteRequest): [Answer, Event] {
  const conflict: Answer = {
    status: 409,
    faults: [{ status: '409', code: 'CONFLICT', source: { header: 'Idempotency-Key' } }],
  }
  if (use.request !== textOf(request)) {
    return [conflict, 'key of another request']
  }
  const added = addedNow(users, request, use.created)
  if (!request.isTransaction && !added[0]) {
    return [conflict, 'replay of what is gone']
  }
  return [{ ...done(request, { users, added }, use.created), replayed: true }, 'replay']
}

function refusal(
  users: Users,
  request: WriteRequest,
  made: readonly string[],
  { reason, faults }: Extract<Outcome, { readonly faults: readonly Fault[] }>,
  isLost: boolean,
): [Answer, Event] {
  if (isLost && request.key === undefined) {
    // Whatever the lost attempt was to delete is gone: whether by it or by another, the state is what was asked for.
    if (isAllGone(users, request, made)) {
      return [done(request, { users, added: request.ops.map(() => undefined) }, []), 'gone already']
    }
    // The lost attempt may itself have moved the revision (contract, section 9).
    const isConditional = request.ifMatch !== undefined && request.ifMatch !== '*'
    if (isConditional && (reason === 'stale' || reason === 'absent')) {
      return [unknown, 'not known whether it was done']
    }
  }
  return [{ status: Number(faults[0]?.status), faults }, reason]
}

/** Is each user that was there before the operations to be deleted in the end, and gone? */
function isAllGone(users: Users, { ops }: WriteRequest, made: readonly string[]): boolean {
  const ids = made[Symbol.iterator]()
  const byLid = new Map<string, string>()
  const last = new Map<string, Op['kind']>()
  for (const op of ops) {
    if (op.kind === 'create') {
      const id = ids.next().value ?? ''
      byLid.set(op.lid ?? '', id)
      last.set(id, op.kind)
    } else {
      last.set('id' in op.user ? op.user.id : (byLid.get(op.user.lid) ?? ''), op.kind)
    }
  }
  const left = [...last].filter(([id, kind]) => !(kind === 'delete' && made.includes(id)))
  return left.length > 0 && left.every(([id, kind]) => kind === 'delete' && !users.has(id))
}
