/** The header that carries a {@link Plan} to the Worker; the service never sees it. */
export const planHeader = 'x-fault-plan'

/** The header that tells how often a request called D1. */
export const callsHeader = 'x-fault-d1-calls'

/** The path of the back door: a POST of {@link SqlStatement}s runs them on the real D1 as one batch. */
export const backDoorPath = '/fault-back-door'

/** SQL text with the values of its parameters. */
export type SqlStatement = readonly [sql: string, ...values: readonly (string | number | null)[]]

/** What goes wrong with D1 while one request is answered. A call is one round trip, be it a batch or a statement. */
export type DatabaseFault =
  /** The first `times` calls fail before anything is done. */
  | { readonly kind: 'refused'; readonly message: string; readonly times: number }
  /** The first `times` calls are done, and their answers lost. */
  | { readonly kind: 'lost'; readonly message: string; readonly times: number }
  /** The nth statement of the first batch fails, from 1. */
  | { readonly kind: 'statement'; readonly nth: number }
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** The first `times` calls are never answered: before anything is done, or after all of it is. */
  | { readonly kind: 'hangs'; readonly when: 'before' | 'after'; readonly times: number }

/** What goes wrong with the objects of the rate limiter while one request is answered. */
export type ObjectFault =
  | {
      readonly kind: 'throws'
      readonly message: string
      readonly times: number
      readonly retryable?: true
      readonly overloaded?: true
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'hangs' }
  | { readonly kind: 'nonsense' }

/** The faults that one request meets. */
export interface Plan {
  readonly database?: DatabaseFault
  readonly objects?: ObjectFault
  /** Milliseconds that the isolate's clock is ahead of the real one, from this request on. It never goes back. */
  readonly ahead?: number
}
