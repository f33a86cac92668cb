import type { JWK } from 'jose'
import type { TestProject } from 'vitest/node'
import { startControl } from './control.ts'
import { type DatabaseKind, d1 } from './databases.ts'
import { startServers } from './server.ts'
import { createSigningKey } from './signing-key.ts'

declare module 'vitest' {
  /** What the run hands to every test file; read it through `service.ts`. */
  interface ProvidedContext {
    /** What the service stores its data in. */
    readonly database: DatabaseKind['name']
    /** Where `control.ts` listens. */
    readonly controlUrl: string
    /** Private half of the key that the service takes tokens from. */
    readonly signingKey: JWK
  }
}

/** Starts one server for the whole run, and what tests reach behind it with. Tests that need no server do not wait for it. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return setupWith(project, d1)
}

/** The same on a kind of database. */
export async function setupWith(
  { provide }: TestProject,
  database: DatabaseKind,
): Promise<() => Promise<void>> {
  const key = await createSigningKey()
  const starting = startServers([key.published], database)
  const control = await startControl(starting)
  provide('database', database.name)
  provide('controlUrl', control.url)
  provide('signingKey', key.secret)
  return async () => {
    control.close()
    await (await starting).close()
  }
}
