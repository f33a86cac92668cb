import { resolve } from 'node:path'

/** What is put under load, and how much. */
interface Load {
  readonly minutes: number
  readonly callers: number
  /** Requests a second, of all callers together. */
  readonly rate: number
}

/** A service of the soak's own. */
export interface Local extends Load {
  readonly url: undefined
  /** The file that its log is added to, absolute; none if undefined. */
  readonly log: string | undefined
}

/** A deployed service. */
export interface Deployed extends Load {
  /** Of its root path, without a slash at the end. */
  readonly url: string
  readonly token: string
  /** Does it write, too? What it makes it deletes. */
  readonly writes: boolean
}

/** How much is sent unless somebody asks for other numbers, and the most that a deployment is sent. */
const usual = {
  local: { minutes: 60, callers: 50, rate: 50 },
  deployed: { minutes: 5, callers: 5, rate: 5 },
}
const most = { minutes: 60, callers: 20, rate: 50 }

/** The command line as it was given. */
interface Wish {
  readonly minutes?: string | undefined
  readonly callers?: string | undefined
  readonly rate?: string | undefined
  readonly url?: string | undefined
  readonly allow?: string | undefined
  readonly writes: boolean
  readonly log?: string | undefined
}

/**
 * What the command line asks for. A deployment is put under load only by who names its host twice, and within bounds.
 *
 * @param token of `SOAK_TOKEN`
 * @returns why not, in one line, where that may not be
 */
export function targetFrom(wish: Wish, token: string | undefined): Local | Deployed | string {
  const { url: address, allow, writes, log } = wish
  const given = address === undefined ? usual.local : usual.deployed
  const load = { ...given }
  for (const name of ['minutes', 'callers', 'rate'] as const) {
    const value = Number(wish[name] ?? given[name])
    const bound = address === undefined ? Number.POSITIVE_INFINITY : most[name]
    if (!(value > 0 && value <= bound)) {
      const limit = address === undefined ? '' : ` and at most ${bound} with --url`
      return `--${name} must be a number above 0${limit}, not "${wish[name]}".`
    }
    load[name] = value
  }
  if (address === undefined) {
    return allow !== undefined || writes
      ? '--allow and --writes go with --url.'
      : { ...load, url: undefined, log: log && resolve(log) }
  }
  if (log !== undefined) {
    return '--log goes without --url: npx wrangler tail shows what a deployment logs.'
  }
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return `--url must be an address like https://api.example.com/jsonapi, not "${address}".`
  }
  if (allow !== url.host) {
    return `Load is sent to ${url.host} only with --allow ${url.host}: say that if the service is yours to load.`
  }
  if (!token) {
    return 'SOAK_TOKEN must hold an access token of the service.'
  }
  return { ...load, url: url.origin + url.pathname.replace(/\/$/, ''), token, writes }
}
