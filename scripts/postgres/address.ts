import { complaint } from '../lib/complaint.ts'
import { type Client, connected } from './client.ts'

/**
 * The address of a database that POSTGRES_URL tells.
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
  if (!/^postgres(?:ql)?:$/.test(protocol ?? '') || !hostname || !/^\/./.test(pathname ?? '')) {
    throw complaint(
      'POSTGRES_URL is no address such as postgres://user:password@host:5432/database. Signs in a password are percent-encoded there',
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
