import type { ApiError } from '../../src/jsonapi/problems.ts'
import type { Edit, Outcome } from '../../src/jsonapi/run/port.ts'

// Random histories of writes while answers get lost, judged by what the callers were told.

/** The revisions of all resources, by their ids. */
export type State = Readonly<Record<string, string>>

/** A write with the word that its caller was told, or a read of all resources. */
type Operation =
  | { readonly edits: readonly Edit[]; readonly told: string }
  | { readonly seen: State }

/** An operation, and when it was under way. One that may have been carried out or not, at any time, has no end: infinity. */
interface Timed {
  readonly operation: Operation
  readonly start: number
  readonly end: number
}

/** What a store is to a history. */
export interface Subject {
  readonly write: (...edits: readonly Edit[]) => Promise<Outcome>
  /** Reads all resources, past the service. */
  readonly read: () => Promise<State>
  readonly create: () => Edit
  readonly update: (id: string, ifMatch?: string) => Edit
  readonly remove: (id: string) => Edit
}

/** The state after edits; the kind of the fault where one cannot be made. */
function after(state: State, edits: readonly Edit[]): State | string {
  const next = new Map(Object.entries(state))
  for (const { kind, id, revision, ifMatch } of edits) {
    if (kind !== 'create' && !next.has(id)) {
      return 'absent'
    }
    if (ifMatch && !ifMatch.includes(next.get(id) ?? '')) {
      return 'stale'
    }
    if (kind === 'delete') {
      next.delete(id)
    } else {
      next.set(id, revision)
    }
  }
  return Object.fromEntries([...next].sort())
}

function apply(state: State, operation: Operation): State | undefined {
  if ('seen' in operation) {
    return JSON.stringify(state) === JSON.stringify(operation.seen) ? state : undefined
  }
  const { edits, told } = operation
  const next = after(state, edits)
  if (told === 'nothing' || told === next) {
    return state
  }
  return typeof next === 'object' && ['done', 'unknown'].includes(told) ? next : undefined
}

/**
 * Is there an order of the operations in which each has the answer that it has had, and none comes before one that had ended when it
 * began? Otherwise the history is not linearizable (Herlihy and Wing, 1990). The search is that of Wing and Gong (1993): take an
 * operation that may come first, and find an order of the rest. What has once led nowhere is not tried again (Lowe, 2017).
 */
function isLinearizable(history: readonly Timed[], initial: State): boolean {
  const deadEnds = new Set<string>()
  const search = (left: readonly Timed[], state: State): boolean => {
    const here = JSON.stringify([left.map((one) => history.indexOf(one)), state])
    if (left.every(({ end }) => end === Number.POSITIVE_INFINITY)) {
      return true
    }
    if (deadEnds.has(here)) {
      return false
    }
    deadEnds.add(here)
    const firstEnd = Math.min(...left.map(({ end }) => end))
    return left.some((first) => {
      const next = first.start <= firstEnd ? apply(state, first.operation) : undefined
      const others = left.filter((one) => one !== first)
      return next !== undefined && search(others, next)
    })
  }
  return search(history, initial)
}

/** The word that a write has ended with: `unknown`, and `nothing` for any other failure. */
async function wordOf(write: Promise<Outcome>): Promise<string> {
  try {
    const outcome = await write
    return outcome.kind === 'refused' ? String(outcome.faults[0]?.kind) : outcome.kind
  } catch (error) {
    const detail = (error as Partial<ApiError>).problems?.[0]?.detail
    if (detail === undefined) {
      throw error
    }
    return detail.includes('is not known') ? 'unknown' : 'nothing'
  }
}

const callers = 4
const calls = 3

/**
 * Lets callers write at the same time, each one write after the other, and reads in between.
 *
 * @returns how often each word was told
 * @throws Error with the history if no order of what was done explains all words
 */
export async function judge({
  write,
  read,
  create,
  update,
  remove,
}: Subject): Promise<readonly string[]> {
  const history: Timed[] = []
  let clock = 0
  const observe = async (): Promise<State> => {
    const start = clock++
    const seen = Object.fromEntries(Object.entries(await read()).sort())
    history.push({ operation: { seen }, start, end: clock++ })
    return seen
  }
  const initial = await observe()
  const known = new Map(Object.entries(initial))
  const pick = <Item>(items: readonly Item[]) =>
    items[Math.floor(Math.random() * items.length)] as Item
  const one = (): Edit => {
    const [id, revision] = pick([...known, ['none', '']] as const)
    return pick([create, () => update(id), () => update(id, revision), () => remove(id)])()
  }
  const caller = async (): Promise<void> => {
    for (let nth = 0; nth < calls; nth++) {
      const first = one()
      const second = one()
      const edits = Math.random() < 0.3 && first.id !== second.id ? [first, second] : [first]
      for (const { id, kind, revision } of edits) {
        known.set(id, known.get(id) ?? (kind === 'create' ? revision : ''))
      }
      const start = clock++
      const told = await wordOf(write(...edits))
      const end = told === 'unknown' ? Number.POSITIVE_INFINITY : clock++
      history.push({ operation: { edits, told }, start, end })
      for (const [id, revision] of Object.entries(await observe())) {
        known.set(id, revision)
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  await observe()
  if (!isLinearizable(history, initial)) {
    throw new Error(`No order explains this: ${JSON.stringify(history, null, 1)}`)
  }
  return history.flatMap(({ operation }) => ('told' in operation ? [operation.told] : []))
}
