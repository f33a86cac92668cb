import type { Principal } from '../jsonapi/declare/access.ts'
import type { Answer } from '../jsonapi/run/read.ts'
import { putBounded } from '../lib/bounded-map.ts'

/** The most answers that are remembered for one state of the resources in memory. One of 100 resources may take 200 KB. */
export const mostAnswers = 50

/**
 * What tells reads apart of resources that nobody owns. Reads of callers with equal access that are equal in this are valid alike,
 * and have the same answer as long as the resources are the same.
 */
interface Asked {
  readonly principal: Principal
  readonly path: string
  readonly search: string
}

/** The memory of the answer to equal requests. */
export interface Memory {
  /** The answer; undefined where it is not remembered. */
  readonly recall: () => Answer | undefined
  /** Remembers the answer to a valid request, and gives it as it is remembered. */
  readonly remember: (answer: Answer) => Answer
}

/** The remembered answers by the state that they were made from. They go when the state goes. */
const answers = new WeakMap<object, Map<string, Answer>>()

/**
 * The memory of the answer to one request, for as long as a state lasts.
 *
 * @param state stands for all resources that the answer can hold; it was taken before the answer is made
 */
export function memoryOf(state: object, { principal, path, search }: Asked): Memory {
  const those = answers.get(state) ?? new Map<string, Answer>()
  answers.set(state, those)
  const key = JSON.stringify([accessOf(principal), path, search])
  return {
    recall: () => those.get(key),
    remember(answer) {
      const lasting: Answer = { ...answer, lasting: true }
      putBounded(those, key, lasting, mostAnswers)
      return lasting
    },
  }
}

/** The texts of {@link accessOf}. A principal is remembered with its token, and its text with it. */
const accesses = new WeakMap<Principal, string>()

/** A text that is equal for two callers whom the same rules of access admit, where nothing is owned. */
function accessOf(principal: Principal): string {
  const known = accesses.get(principal)
  if (known !== undefined) {
    return known
  }
  const { kind, scopes } = principal
  // As JSON, since a scope may hold any character: joined, one scope could read like two.
  const text = JSON.stringify([kind, ...[...scopes].toSorted()])
  accesses.set(principal, text)
  return text
}
