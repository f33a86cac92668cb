/**
 * Messages of failures of D1 after which the same statements may be sent again, because their writes were either rolled back
 * or committed as a whole. A missed deadline is not among them, because the statements may still be running.
 */
const transient = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue on remote node',
  "Can't read from request stream because client disconnected",
]

/** The most attempts. */
const attempts = 3

/** Milliseconds: of the first pause and of the longest one, and from the first attempt within which another may begin. */
const pause = { base: 50, cap: 400, budget: 2_000 }

/**
 * Runs a task, and after a transient failure runs it again, at most twice and within two seconds. The pauses are random.
 *
 * @param task gets the number of the attempt, from 1; a later attempt may find the work of an earlier one done
 * @throws what the last attempt throws
 */
export async function retrying<Value>(task: (attempt: number) => Promise<Value>): Promise<Value> {
  const start = Date.now()
  for (let attempt = 1; ; attempt++) {
    try {
      return await task(attempt)
    } catch (error) {
      if (attempt === attempts || !isTransient(error) || Date.now() - start > pause.budget) {
        throw error
      }
      const longest = Math.min(pause.cap, pause.base * 2 ** attempt)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * longest))
    }
  }
}

/** May the statements be sent again after this error? */
export function isTransient(error: unknown): boolean {
  const message = messageOf(error)
  return transient.some((text) => message.includes(text))
}

/** A failure that a statement caused on purpose: see `fail` in `write-sql.ts`. */
export interface Failure {
  /** The index of the edit among those of its write. */
  readonly at: number
  readonly reason: string
  readonly detail: string
}

/** The failure that a statement caused on purpose, from the error of D1; undefined for other errors. */
export function failureOf(error: unknown): Failure | undefined {
  const [, at, reason = '', detail = ''] =
    /'edit(\d+):([a-z]+) ([^']*)'/.exec(messageOf(error)) ?? []
  return at === undefined ? undefined : { at: Number(at), reason, detail }
}

/** Did a statement of a write refuse it? Nothing is written then. */
export function isRefusal(error: unknown): boolean {
  return failureOf(error) !== undefined || violatesConstraint(error)
}

/** Did a constraint cause the error? */
export function violatesConstraint(error: unknown): boolean {
  return /(FOREIGN KEY|UNIQUE|NOT NULL) constraint failed/.test(messageOf(error))
}

/**
 * A write that was sent again finds neither the state that it expects nor the one that it makes. Whether an earlier attempt
 * was carried out is not known.
 */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

/** The messages of an error and its causes; an empty text for a value that is not an Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : ''
}
