import { createInterface } from 'node:readline/promises'
import { complaint } from './complaint.ts'

/**
 * Sees that somebody means what cannot be undone: asks on a terminal.
 *
 * @param what would be done, for people
 * @param yes whether that was said before
 * @param mayAsk whether an answer on a terminal is enough
 * @throws a complaint where nobody has said so
 */
export async function demandConsent(
  what: string,
  { yes, mayAsk }: { readonly yes: boolean; readonly mayAsk: boolean },
): Promise<void> {
  if (yes) {
    return
  }
  if (!(mayAsk && process.stdin.isTTY)) {
    throw complaint(`${what} Say --yes if that is meant. Nothing was changed.`)
  }
  const terminal = createInterface(process.stdin, process.stdout)
  const answer = await terminal.question(`${what} Type yes if that is meant: `)
  terminal.close()
  if (answer !== 'yes') {
    throw complaint('Nothing was changed.')
  }
}
