import type { Identifier } from './documents.ts'
import { type Answer, type RequestOptions, request } from './service.ts'

/**
 * Follows `links.next` from a page to the last one.
 *
 * @param path with the root path
 * @throws Error after 500 pages: such a walk goes round in circles
 */
export async function walk(path: string, options: RequestOptions): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  let next: string | null | undefined = path
  while (next) {
    if (answers.length > 500) {
      throw new Error(`${path} has no last page`)
    }
    const answer: Answer = await request('GET', next, options)
    if (answer.status !== 200) {
      throw new Error(`${next}: ${answer.status} ${answer.text}`)
    }
    answers.push(answer)
    next = answer.document.links?.next
  }
  return answers
}

/** The ids of the primary data of one answer or several, in their order. */
export function idsOf(...answers: readonly Answer[]): readonly string[] {
  return answers.flatMap(({ document }) => document.data.map(({ id }: Identifier) => id))
}
