import type { Arbitrary } from 'fast-check'
import { unique } from '../../../test/fuzz/values.ts'
import { curlOf } from '../lib/curl.ts'
import type { StandingState } from './world.ts'

/** A request that may cost much. */
export interface Candidate {
  /** Who asks; a name among the callers. */
  readonly caller: string
  readonly method: string
  readonly path: string
  /** Pairs as they stand in the URL. */
  readonly query: readonly string[]
  /** All but `Authorization`. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
  /** What the user that is written has. */
  readonly state: StandingState
  /** How many pages are turned, by `links.next`, before the one that counts. */
  readonly turns: number
}

/** A kind of request that is searched for its worst. */
export interface Subject {
  readonly name: string
  /** A plain request first, then those that are tried before any others. */
  readonly corners: readonly [Candidate, ...Candidate[]]
  /** All requests of the kind. */
  readonly any: Arbitrary<Candidate>
  /** Writes are told apart by what they store. */
  readonly writes: boolean
}

/** Path and query. */
export function urlOf({ path, query }: Pick<Candidate, 'path' | 'query'>): string {
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** Characters of the longest URL, and of all headers together, that the runtime takes in. It closes the connection of any other. */
const longest = { url: 16_000, headers: 30_000 }

/** Does the request reach the service? */
export function isTaken(candidate: Candidate): boolean {
  const headers = candidate.headers.reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    0,
  )
  return urlOf(candidate).length <= longest.url && headers <= longest.headers
}

/** The request as a command: `$ORIGIN` and `$TOKEN` stand for the service and the caller's token. */
export function commandOf(candidate: Candidate, hasToken: boolean): string {
  const { caller, method, headers, body, turns } = candidate
  const token = hasToken ? [['Authorization', 'Bearer ey'] as const] : []
  const sent = {
    method,
    path: urlOf(candidate),
    headers: [...token, ...headers],
    ...(body !== undefined && { body }),
  }
  const pages = turns === 0 ? '' : turns === 1 ? ', the next page' : `, ${turns} pages on`
  return curlOf(sent, '$ORIGIN', caller + pages).replaceAll(unique, '1')
}
