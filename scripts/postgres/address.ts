import { complaint } from '../lib/complaint.ts'
import { type Client, connected } from './client.ts'

const form = 'such as postgres://user:password@host:5432/database'

/** An address of a database on one host. Several hosts have commas between them, and a socket is an encoded path. */
const address = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#,%]+\/[^/?]/

/** What an address may say beside the parts that name the database. */
const parameters: ReadonlySet<string> = new Set([
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'channel_binding'],
  ...['application_name', 'connect_timeout'],
])

/**
 * The address of a database, from POSTGRES_URL, so that the driver does with it what psql does.
 *
 * @throws a complaint, which repeats no password, where it is none, or leads elsewhere than the service would
 */
export function addressIn(env: Readonly<Record<string, string | undefined>>): string {
  const { POSTGRES_URL: given } = env
  if (!given) {
    throw complaint(`Which database? Set POSTGRES_URL, ${form}`)
  }
  const url = address.test(given) && isDecodable(given) ? URL.parse(given) : null
  if (url === null || url.pathname.length < 2) {
    throw complaint(
      `POSTGRES_URL must be an address with one host, ${form}. Percent-encode @, /, ?, # and % in the password.`,
    )
  }
  const { searchParams } = url
  const other = [...searchParams.keys()].find((name) => !parameters.has(name))
  if (other !== undefined) {
    throw complaint(
      `POSTGRES_URL has the parameter ${other}, which the service would not have behind Hyperdrive: leave it out.`,
    )
  }
  if (searchParams.get('sslrootcert') === 'system') {
    searchParams.delete('sslrootcert')
    searchParams.set('sslmode', 'verify-full')
  }
  if (/^(?:prefer|require|verify-ca)$/.test(searchParams.get('sslmode') ?? '')) {
    searchParams.set('uselibpqcompat', 'true')
  }
  // The driver decodes no reserved characters in it, such as %2B.
  url.pathname = encodeURI(decodeURIComponent(url.pathname))
  return url.href
}

function isDecodable(url: string): boolean {
  try {
    return decodeURIComponent(url) !== ''
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
  const url = d1.isLocal && env.POSTGRES_URL === undefined ? undefined : addressIn(env)
  if (d1.isLocal && url !== undefined && !isOnThisMachine(url)) {
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
    const lacks = message.startsWith('SASL') && new URL(url).password === ''
    const why = lacks ? 'POSTGRES_URL has no password' : message || first
    throw complaint(`The database ${nameOf(url)} cannot be reached: ${why}`)
  }
}
