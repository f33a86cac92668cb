import { setTimeout as sleep } from 'node:timers/promises'
import { complaint } from '../lib/complaint.ts'

/** What is looked at. */
export interface SmokeTarget {
  /** Origin of the service. */
  readonly address: string
  /** Path that its endpoints lie under. */
  readonly root: string
  /** An access token of a client; without one, nothing that needs a token is read. */
  readonly token: string | undefined
  /** Names the version that is to answer, where several are live: name of the Worker and id of the version. */
  readonly version?: { readonly worker: string; readonly id: string } | undefined
}

/** The milliseconds after which a request counts as not answered. */
const answerMs = 30_000

/** What any token may read, below the root path. */
export const reads = [
  '/countries?filter[region]=europe&include=currencies',
  '/countries/PA?include=currencies',
  '/countries/PA/relationships/currencies',
  '/countries/PA/currencies',
  '/currencies?filter[id]=NOK,SEK',
] as const

/** How often a service that does not answer as it should is looked at again, and milliseconds between: DNS takes its time. */
const patience = { attempts: 6, pause: 5_000 }

/**
 * Reads from a deployed service, and from its pages. Nothing is written.
 *
 * @returns a sentence for each thing that is not as it should be; none if all is well
 */
export async function smokeTest(
  target: SmokeTarget,
  { attempts, pause } = patience,
): Promise<readonly string[]> {
  const faults = await readOnce(target)
  if (faults.length === 0 || attempts <= 1) {
    return faults
  }
  await sleep(pause)
  return smokeTest(target, { attempts: attempts - 1, pause })
}

async function readOnce({ address, root, token, version }: SmokeTarget): Promise<string[]> {
  const refused = `${root}/users`
  const api = token === undefined ? [] : reads.map((path) => root + path)
  const override = version && {
    'Cloudflare-Workers-Version-Overrides': `${version.worker}="${version.id}"`,
  }
  const authorized = token && { Authorization: `Bearer ${token}` }
  const faults: string[] = []
  for (const path of ['/health', '/', `${root}/oas`, `${root}/docs`, refused, ...api]) {
    const status = path === refused ? 401 : 200
    const answer = await fetch(address + path, {
      headers: { ...override, ...(path !== refused && authorized) },
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMs),
    }).catch((error: Error) => error)
    if (answer instanceof Error) {
      faults.push(`GET ${path} is not answered: ${answer.message}.`)
    } else if (answer.status !== status) {
      faults.push(`GET ${path} answers ${answer.status}, not ${status}.`)
    }
  }
  return faults
}

/**
 * The token for the smoke test: `SMOKE_TOKEN`, or one that is asked for at `SMOKE_TOKEN_URL` with the form of
 * `SMOKE_TOKEN_REQUEST`; undefined where none of them is set.
 *
 * @throws a complaint when no token is given there
 */
export async function smokeToken(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const { SMOKE_TOKEN: token, SMOKE_TOKEN_URL: url, SMOKE_TOKEN_REQUEST: form } = env
  if (token || !url) {
    return token || undefined
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: form ?? '',
    signal: AbortSignal.timeout(answerMs),
  }).catch((error) => {
    throw complaint(`SMOKE_TOKEN_URL is not answered: ${error.message}.`, error)
  })
  const answer = (await response.json().catch(() => ({}))) as { access_token?: string }
  if (!response.ok || answer.access_token === undefined) {
    throw complaint(`SMOKE_TOKEN_URL gives no token: it answers ${response.status}.`)
  }
  return answer.access_token
}
