import type { Load, Target } from './load.ts'

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
}

/**
 * What the command line asks for. A deployment is put under load only by who names its host twice, and within bounds.
 *
 * @param token of `SOAK_TOKEN`
 * @returns why not, in one line, where that may not be
 */
export function wishFrom(wish: Wish, token: string | undefined): Load | Target | string {
  const { url: address, allow, writes } = wish
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
    return allow !== undefined || writes ? '--allow and --writes go with --url.' : load
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
  const root = url.origin + url.pathname.replace(/\/$/, '')
  return { ...load, url: root, tokens: [token], writes }
}
