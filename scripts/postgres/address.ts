import { complaint } from '../lib/complaint.ts'
import { type Client, connected } from './client.ts'

/**
 * The address of a database, from POSTGRES_URL.
 *
 * @throws a complaint, which repeats nothing of it, where it is none: there is a password in it
 */
export function addressIn(env: Readonly<Record<string, string | undefined>>): string {
  const { POSTGRES_URL: url } = env
  if (!url) {
    throw complaint(
      'Which database? Set POSTGRES_URL, such as postgres://user:password@host:5432/database',
    )
  }
  const { protocol, hostname, pathname } = URL.parse(url) ?? {}
  const isAddress =
    /^postgres(?:ql)?:$/.test(protocol ?? '') && hostname && /^\/./.test(pathname ?? '')
  if (!isAddress || !isDecodable(url)) {
    throw complaint(
      'POSTGRES_URL must be an address such as postgres://user:password@host:5432/database. Percent-encode @ and / in the password.',
    )
  }
  return url
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/** Is the server at an address on this machine? */
export function isOnThisMachine(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

/**
 * The address of the PostgreSQL that rows of a D1 are moved to, or from; undefined for that of `npm start -- --database postgres`.
 *
 * @param d1 whether it is kept on this machine
 * @throws a complaint where POSTGRES_URL is no address, and where it leads away from this machine but the D1 does not: a shell may
 * still hold the address of production
 */
export function addressBeside(
  d1: { readonly isLocal: boolean },
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (!d1.isLocal) {
    return addressIn(env)
  }
  const url = env.POSTGRES_URL === undefined ? undefined : addressIn(env)
  if (url !== undefined && !isOnThisMachine(url)) {
    throw complaint(
      `POSTGRES_URL leads to ${nameOf(url)}, and the D1 is on this machine: say --env and --remote, or unset POSTGRES_URL.`,
    )
  }
  return url
}

/** What a database is called in messages: `users at db.example.com:5432`. */
export function nameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${decodeURIComponent(pathname.slice(1))} at ${host}`
}

/**
 * Connects to the database at an address.
 *
 * @throws a complaint with the reason, in which there is no password
 */
export async function reached(url: string): Promise<Client> {
  try {
    return await connected(url)
  } catch (error) {
    // Where several addresses were tried, the reasons are those of each.
    const { message, errors: [first] = [] } = error as AggregateError
    throw complaint(`The database ${nameOf(url)} cannot be reached: ${message || first}`)
  }
}
