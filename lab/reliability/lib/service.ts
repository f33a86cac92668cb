import { d1 } from '../../../test/support/databases.ts'
import { startServers, type Vars } from '../../../test/support/server.ts'
import { createSigningKey } from '../../../test/support/signing-key.ts'
import { useMemoryDisk } from './memory-disk.ts'
import { issuerOf, type Sign } from './tokens.ts'

/** The built Worker, running locally, and the issuer that it trusts. */
export interface Service {
  readonly origin: string
  readonly sign: Sign
  close(): Promise<void>
}

/**
 * Builds and starts the service with demo data.
 *
 * @param vars take the place of those in wrangler.toml
 */
export async function startService(vars: Vars = {}): Promise<Service> {
  useMemoryDisk()
  const key = await createSigningKey()
  const servers = await startServers([key.published], d1)
  return {
    origin: await servers.urlOf(vars),
    sign: await issuerOf(key.secret),
    close: () => servers.close(),
  }
}
