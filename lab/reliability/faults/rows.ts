import type { Operation } from './operations.ts'
import type { Plan } from './plan.ts'

/** Which answer is right, and what is stored after it. */
export interface Expected {
  readonly status: number
  readonly code?: string
  /** Must the answer say when to come back? */
  readonly retryAfter?: boolean
  /** `after`: as when the operation succeeds without a fault. */
  readonly stored: 'before' | 'after'
  /** How often D1 is called, where it matters. */
  readonly calls?: number
}

/** How the key server answers; see `key-server.ts`. */
export type KeyMode =
  | 'good'
  | 'rotated'
  | 'error'
  | 'hang'
  | 'html'
  | 'redirect'
  | 'empty'
  | 'many'
  | 'huge'
  | 'refused'

/** One step of a row: all operations at once, each on a person of its own. */
export interface Phase {
  readonly name: string
  readonly plan?: Plan
  readonly keys?: KeyMode
  /** The tokens of this phase; `good` if absent. */
  readonly tokens?: 'good' | 'rotated' | 'unknown key'
  readonly expected: (operation: Operation) => Expected
  /** How many requests for the key set the phase may cause. */
  readonly fetches?: { readonly atLeast: number; readonly atMost: number }
  /** Who answers: a second isolate, of the same service in the same data centre, in place of the first. */
  readonly isolate?: 'second'
}

/** One fault, on a Worker of its own that starts cold. */
export interface Row {
  readonly group: 'D1' | 'keys' | 'objects' | 'configuration'
  readonly name: string
  /** Variables and secrets in place of good ones; `undefined` leaves one out. */
  readonly vars?: Readonly<Record<string, string | undefined>>
  readonly phases: readonly Phase[]
  /** Text that must be in the log, and in no answer. */
  readonly logged?: string
}

/** The answer where a fault does no harm. */
export function success({ success: status }: Operation): Expected {
  return { status, stored: 'after' }
}

/** The answer where something that the service depends on has failed: nothing is done. */
export function failed(): Expected {
  return { status: 500, code: 'INTERNAL_SERVER_ERROR', retryAfter: true, stored: 'before' }
}

/** Does it change something? */
export function isWrite({ method }: Operation): boolean {
  return method !== 'GET'
}
