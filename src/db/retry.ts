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

/** Which kind of constraint refused a write, and the columns of one that names them, as `table.column`. */
export type Violation =
  | { readonly kind: 'foreign key' }
  | { readonly kind: 'unique' | 'not null'; readonly columns: readonly string[] }

/** The constraint behind a failure of D1, if there is one. */
export function violationOf(error: unknown): Violation | undefined {
  const message = messageOf(error)
  if (message.includes('FOREIGN KEY constraint failed')) {
    return { kind: 'foreign key' }
  }
  const [, kind, columns] = /(UNIQUE|NOT NULL) constraint failed: ([\w., ]+)/.exec(message) ?? []
  return columns === undefined
    ? undefined
    : { kind: kind === 'UNIQUE' ? 'unique' : 'not null', columns: columns.trim().split(', ') }
}

/** What an error says, and what its causes say; nothing for what is no error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : ''
}
