import type { Gene, Genome } from './genes.ts'
import { shell, type Text } from './text.ts'
import type { StandingState } from './world.ts'

/** A request that may cost much. */
export interface Candidate {
  /** Who asks; a name among the callers. */
  readonly caller: string
  readonly method: string
  /** Path and query. */
  readonly path: Text
  /** All but `Authorization`. */
  readonly headers: readonly (readonly [name: string, value: Text])[]
  readonly body?: Text
  /** What the user that is written has. */
  readonly state: StandingState
  /** How many pages are turned, by `links.next`, before the one that counts. */
  readonly turns: number
}

/** A kind of request that is searched for its worst. */
export interface Subject {
  readonly name: string
  readonly genes: readonly Gene[]
  /** Values of some genes that are tried before any others. */
  readonly seeds: readonly Genome[]
  readonly render: (genome: Genome) => Candidate
  /** Writes are told apart by what they store. */
  readonly writes: boolean
}

/** Stands in bodies and headers for text that no other request holds. */
export const unique = '{unique}'

/** The request as a command: `$TOKEN` stands for the caller's token. */
export function curlOf(
  { caller, method, path, headers, body, turns }: Candidate,
  hasToken: boolean,
): string {
  const parts = [
    'curl -sg',
    method === 'HEAD' ? '-I' : method === 'GET' ? '' : `-X ${method}`,
    hasToken ? '-H "Authorization: Bearer $TOKEN"' : '',
    ...headers.map(([name, value]) => `-H ${shell([`${name}: `, ...value])}`),
    body ? `--data-binary ${shell(body)}` : '',
    `"$ORIGIN"${shell(path)}`,
    `# ${caller}${turns > 0 ? `, ${turns === 1 ? 'the next page' : `${turns} pages on`}` : ''}`,
  ]
  return parts.filter(Boolean).join(' ').replaceAll(unique, '1')
}
