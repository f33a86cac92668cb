import type { Answer } from '../../support/service.ts'

/** What identifies an error: its code and where its fault lies. */
export interface Fault {
  readonly code: string
  readonly source: object
}

/** The most errors that one answer tells. */
const most = 50

/** Faults as lines of text, in an order of their own. */
function lines(faults: readonly Fault[]): string[] {
  return faults.map(({ code, source }) => `${code} ${JSON.stringify(source)}`).toSorted()
}

/**
 * The faults that an answer tells, beside those that it should tell: each fault once, whatever the others are. Of more than
 * 50 it tells 50, and how many there are.
 */
export function compared({ document }: Answer, expected: readonly Fault[]) {
  const errors = document.errors ?? []
  const told = lines(errors.map(({ code, source }) => ({ code, source: source ?? {} })))
  const wanted = lines(expected)
  if (expected.length <= most) {
    return { told, wanted }
  }
  const rest = [...wanted]
  const known = told.filter((line) => {
    const index = rest.indexOf(line)
    return index >= 0 && rest.splice(index, 1).length > 0
  })
  return {
    told: [known.length, /There are at least (\d+) errors/.exec(errors.at(-1)?.detail ?? '')?.[1]],
    wanted: [most, String(expected.length)],
  }
}
