/**
 * Failures of D1 after which the same statements may be sent again; any of their writes was rolled back or committed whole.
 * A call that has met its deadline is none of them: it may still be at work.
 */
const transient = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue on remote node',
  "Can't read from request stream because client disconnected",
]

const attempts = 3
/** Milliseconds. */
const pause = { base: 50, cap: 400, budget: 2_000 }

/**
 * Runs a task, up to twice more after a transient failure, with full jitter, within two seconds.
 *
 * @param task is told which attempt it is, from 1: a repeated one may find its own earlier work done
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

/** May the statements that failed this way be sent again? */
export function isTransient(error: unknown): boolean {
  const message = messageOf(error)
  return transient.some((text) => message.includes(text))
}

/** What a batch says where one of its statements fails by intent. */
export interface Failure {
  /** The name of the edit, a reason and a detail: see `fail` in `edit-sql.ts`. */
  readonly name: string
  readonly reason: string
  readonly detail: string
}

/** The failure by intent behind an error of D1, if there is one. */
export function failureOf(error: unknown): Failure | undefined {
  const [, name, reason, detail] = /'([\w-]+):([a-z]+) ([^']*)'/.exec(messageOf(error)) ?? []
  return name !== undefined && reason !== undefined && detail !== undefined
    ? { name, reason, detail }
    : undefined
}

/** Has a constraint refused what a statement was to write? */
export function violatesConstraint(error: unknown): boolean {
  return /(FOREIGN KEY|UNIQUE|NOT NULL) constraint failed/.test(messageOf(error))
}

/** Has a foreign key refused what a statement was to write or remove? */
export function violatesForeignKey(error: unknown): boolean {
  return messageOf(error).includes('FOREIGN KEY constraint failed')
}

/** A write that was sent again finds neither what it expected nor what it makes itself: whether it was done is not known. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

/** What an error says, and what its causes say; nothing for what is no error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : ''
}
