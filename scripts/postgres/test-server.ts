import { complaint } from '../lib/complaint.ts'
import { addressIn, isOnThisMachine, nameOf, reached } from './address.ts'

/**
 * The server that tests make databases on; undefined for one of their own.
 *
 * @throws a complaint where POSTGRES_URL is no address, and where it leads away from this machine and nobody has said that it may: a
 * shell may still hold the address of production
 */
export function testAddressIn(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = env.POSTGRES_URL === undefined ? undefined : addressIn(env)
  if (url !== undefined && !isOnThisMachine(url) && env.POSTGRES_TESTS_ANYWHERE !== 'true') {
    throw complaint(
      `Tests would make databases beside ${nameOf(url)}: unset POSTGRES_URL, or say POSTGRES_TESTS_ANYWHERE=true if that is meant.`,
    )
  }
  return url
}

/**
 * Sees that databases can be made on a server.
 *
 * @throws a complaint where it cannot be reached, and where the user of the address may not
 */
export async function demandDatabases(url: string): Promise<void> {
  const client = await reached(url)
  const { rows } = await client.query(
    'SELECT 1 FROM pg_roles WHERE rolname = current_user AND (rolcreatedb OR rolsuper)',
  )
  await client.end()
  if (rows.length === 0) {
    throw complaint(
      `The user ${new URL(url).username} may not make databases, with which the tests work: ALTER ROLE … CREATEDB, or another user than that of ${nameOf(url)}.`,
    )
  }
}
