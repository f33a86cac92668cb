import { attempts, isTransient, isUndone, violatesConstraint } from '#dialect'
import type { Usage } from '../jsonapi/run/store.ts'
import { messageOf } from '../lib/messages.ts'

/** The longest that the first pause can be, and any, in milliseconds. */
const pause = { first: 100, longest: 400 }

/**
 * Runs a task, and after a transient failure runs it again: at most as often, and as long, as {@link attempts} says (contract,
 * section 14). The pauses are random.
 *
 * @param usage is told how many attempts it took, without those that were surely undone: writes that meet each other are no failure
 * @param task is told whether it may find the work of an earlier attempt done
 * @throws what the last attempt throws; UnknownOutcome with that as its cause where an attempt may have been carried out
 */
export async function retrying<Value>(
  usage: Pick<Usage, 'attempts'>,
  task: (isUnsure: boolean) => Promise<Value>,
): Promise<Value> {
  const start = Date.now()
  let isUnsure = false
  let tries = 1
  for (let attempt = 1; ; attempt++) {
    try {
      return await task(isUnsure)
    } catch (error) {
      const isPassing = isTransient(error)
      isUnsure ||= isPassing && !isUndone(error)
      const milliseconds = Math.random() * Math.min(pause.longest, pause.first * 2 ** (attempt - 1))
      const isLate = Date.now() + milliseconds - start > attempts.budget
      if (attempt === attempts.most || !isPassing || isLate) {
        throw isUnsure
          ? new UnknownOutcome('The answer to a write was lost', { cause: error })
          : error
      }
      tries += isUndone(error) ? 0 : 1
      usage.attempts = Math.max(usage.attempts, tries)
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
    }
  }
}

/** A failure that a statement caused on purpose: see `fail` in `write-sql.ts`. */
export interface Failure {
  /** The index of the edit among those of its write. */
  readonly at: number
  readonly reason: string
  readonly detail: string
}

/** The failure that a statement caused on purpose, from the error of the database; undefined for other errors. */
export function failureOf(error: unknown): Failure | undefined {
  const [, at, reason = '', detail = ''] =
    /'edit(\d+):([a-z]+) ([^']*)'/.exec(messageOf(error)) ?? []
  return at === undefined ? undefined : { at: Number(at), reason, detail }
}

/** Did a statement of a write refuse it? Nothing is written then. */
export function isRefusal(error: unknown): boolean {
  return failureOf(error) !== undefined || violatesConstraint(error)
}

/**
 * The answer to a write was lost, and no later attempt has told more: none was answered, or it has found neither the state that it
 * expects nor the one that it makes. Whether an earlier attempt was carried out is not known.
 */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}
