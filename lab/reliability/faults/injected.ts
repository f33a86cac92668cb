import { AsyncLocalStorage } from 'node:async_hooks'
import type { Limits } from '../../../src/rate-limit/bucket.ts'
import type { DatabaseFault, ObjectFault, Plan } from './plan.ts'

/** A request that is being answered, and how often it has called what. */
interface Running {
  readonly plan: Plan
  calls: number
  asked: number
}

const running = new AsyncLocalStorage<Running>()
const realNow = Date.now
let ahead = 0
Date.now = () => realNow() + ahead

/** Answers a request under a plan; the number of calls to D1 that it took. */
export async function under(
  plan: Plan,
  answer: () => Response | Promise<Response>,
): Promise<{ response: Response; calls: number }> {
  ahead = Math.max(ahead, plan.ahead ?? 0)
  const state: Running = { plan, calls: 0, asked: 0 }
  const response = await running.run(state, answer)
  return { response, calls: state.calls }
}

/** A statement that fails when it is run, with an error that the database itself makes. */
const broken = 'SELECT json(?1)'

const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()

function statementOf(original: D1PreparedStatement): D1PreparedStatement {
  const wrapped = {
    bind: (...values: unknown[]) => statementOf(original.bind(...values)),
    raw: () => call(() => original.raw()),
    all: () => call(() => original.all()),
    run: () => call(() => original.run()),
    first: () => call(() => original.first()),
  } as unknown as D1PreparedStatement
  originals.set(wrapped, original)
  return wrapped
}

type FaultyDatabase = Pick<D1Database, 'prepare' | 'batch'>

/** The database behind faults, and its sessions. */
export function databaseOf(
  original: D1Database,
): FaultyDatabase & { withSession(constraint: string): D1DatabaseSession } {
  return {
    ...callsOf(original),
    withSession(constraint) {
      const session = original.withSession(constraint)
      return { ...callsOf(session), getBookmark: () => session.getBookmark() }
    },
  }
}

function callsOf(original: FaultyDatabase): FaultyDatabase {
  return {
    prepare: (text) => statementOf(original.prepare(text)),
    batch: (statements) => {
      const fault = running.getStore()?.plan.database
      const isFirst = running.getStore()?.calls === 0
      const sent = statements.map((statement, index) =>
        fault?.kind === 'statement' && isFirst && index === fault.nth - 1
          ? original.prepare(broken).bind('{')
          : (originals.get(statement) ?? statement),
      )
      return call(() => original.batch(sent))
    },
  }
}

const never = () => new Promise<never>(() => {})

async function call<Value>(run: () => Promise<Value>): Promise<Value> {
  const state = running.getStore()
  const fault = state?.plan.database
  const nth = state ? ++state.calls : 0
  if (fault?.kind === 'slow') {
    await scheduler.wait(fault.milliseconds)
  }
  if (fault?.kind === 'refused' && nth <= fault.times) {
    throw databaseError(fault)
  }
  const hangs = fault?.kind === 'hangs' && nth <= fault.times ? fault.when : undefined
  if (hangs === 'before') {
    await never()
  }
  const value = await run()
  if (hangs === 'after') {
    await never()
  }
  if (fault?.kind === 'lost' && nth <= fault.times) {
    throw databaseError(fault)
  }
  return value
}

/** As D1's own errors are: the text after a prefix, and the same text again as the cause. */
function databaseError({ message }: DatabaseFault & { readonly message: string }): Error {
  return new Error(`D1_ERROR: ${message}`, { cause: new Error(message) })
}

/** What the service asks of an object. */
interface Bucket {
  take(cost: number, limits: Limits): PromiseLike<unknown>
}

/** The part of the namespace that the service uses. */
export interface Buckets {
  getByName(name: string): Bucket
  jurisdiction(name: string): Buckets
}

/** The objects behind faults. */
export function objectsOf(original: Buckets): Buckets {
  return {
    jurisdiction: (name) => objectsOf(original.jurisdiction(name)),
    getByName(name) {
      const state = running.getStore()
      const fault = state?.plan.objects
      const nth = state ? ++state.asked : 0
      if (fault?.kind === 'absent') {
        throw new TypeError('RATE_LIMITER is not bound')
      }
      return {
        take: (cost, limits) => ask(fault, nth, () => original.getByName(name).take(cost, limits)),
      }
    },
  }
}

function ask(
  fault: ObjectFault | undefined,
  nth: number,
  take: () => PromiseLike<unknown>,
): PromiseLike<unknown> {
  switch (fault?.kind) {
    case 'hangs':
      return never()
    case 'nonsense':
      return Promise.resolve({ allowed: 'yes', remaining: -1 })
    case 'throws': {
      const { message, times, retryable, overloaded } = fault
      if (nth > times) {
        return take()
      }
      const marks = { ...(retryable && { retryable }), ...(overloaded && { overloaded }) }
      return Promise.reject(Object.assign(new Error(message), marks))
    }
    default:
      return take()
  }
}
