import type { TestProject } from 'vitest/node'
import { setupWith } from '../support/setup.ts'
import { postgres } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a database of PostgreSQL with the reference data, which no Worker uses. */
    readonly postgresUrl: string
    /** Address of another one, of `isolation.test.ts` alone, which counts all that is in it. */
    readonly isolationUrl: string
  }
}

/** Starts one server of PostgreSQL and the Workers on it for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const database = await postgres()
  project.provide('postgresUrl', await database.newDatabase(false))
  project.provide('isolationUrl', await database.newDatabase(false))
  return setupWith(project, database)
}
