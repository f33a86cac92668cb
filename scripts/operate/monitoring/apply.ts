import { complaint } from '../../lib/complaint.ts'
import type { SavedQuery } from './cloudflare.ts'

/** Where queries are saved: an account of Cloudflare. */
export interface Account {
  readonly id: string
  readonly token: string
  /** Of Cloudflare's API, without a slash at the end. */
  readonly api: string
}

/** What has become of queries, by their names. */
export interface Applied {
  readonly made: readonly string[]
  readonly there: readonly string[]
  /** They are there, and ask for something else. */
  readonly different: readonly string[]
}

/** A query as the API lists it. */
interface Stored {
  readonly name: string
  readonly parameters: unknown
}

/** Queries that the API lists at once. */
const pageSize = 100

/**
 * The account that the environment names, as wrangler does.
 *
 * @throws a complaint where it names none
 */
export function accountFrom(env: NodeJS.ProcessEnv = process.env): Account {
  const { CLOUDFLARE_ACCOUNT_ID: id, CLOUDFLARE_API_TOKEN: token } = env
  if (!id || !token) {
    throw complaint(
      'Which account? Set CLOUDFLARE_ACCOUNT_ID, and CLOUDFLARE_API_TOKEN to a token with Workers Observability Edit.',
    )
  }
  return { id, token, api: env.CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4' }
}

/**
 * Saves the queries that are not in an account yet, by their names. The API has no call that changes one.
 *
 * @throws a complaint when the API refuses
 */
export async function applyQueries(
  queries: readonly SavedQuery[],
  account: Account,
): Promise<Applied> {
  const stored = new Map((await listed(account)).map((query) => [query.name, query.parameters]))
  const isThere = ({ name }: SavedQuery) => stored.has(name)
  const isSame = ({ name, parameters }: SavedQuery) => holds(stored.get(name), parameters)
  const missing = queries.filter((query) => !isThere(query))
  for (const query of missing) {
    await call(account, '', { method: 'POST', body: JSON.stringify(query) })
  }
  const namesOf = (some: readonly SavedQuery[]) => some.map(({ name }) => name)
  return {
    made: namesOf(missing),
    there: namesOf(queries.filter((query) => isThere(query) && isSame(query))),
    different: namesOf(queries.filter((query) => isThere(query) && !isSame(query))),
  }
}

async function listed(account: Account): Promise<readonly Stored[]> {
  const all: Stored[] = []
  for (let page = 1; ; page++) {
    const found = (await call(account, `?page=${page}&perPage=${pageSize}`)) as Stored[]
    all.push(...found)
    if (found.length < pageSize) {
      return all
    }
  }
}

async function call({ id, token, api }: Account, query: string, init?: RequestInit) {
  const response = await fetch(`${api}/accounts/${id}/workers/observability/queries${query}`, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  })
  const answer = (await response.json().catch(() => ({}))) as {
    readonly result?: unknown
    readonly errors?: readonly { readonly message: string }[]
  }
  if (!response.ok) {
    const why = (answer.errors ?? []).map(({ message }) => message).join('; ')
    throw complaint(`Cloudflare refuses with ${response.status}: ${why || 'it does not say why'}`)
  }
  return answer.result
}

/** Does a value hold all that another one has? The API may add members of its own. */
function holds(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) &&
      whole.length === part.length &&
      part.every((item, at) => holds(whole[at], item))
    )
  }
  return typeof part === 'object' && part !== null
    ? Object.entries(part).every(([name, value]) =>
        holds((whole as Record<string, unknown> | undefined)?.[name], value),
      )
    : whole === part
}
