import type { TestProject } from 'vitest/node'
import { setupWith } from '../support/setup.ts'
import { postgres } from './database.ts'

/** Starts one server of PostgreSQL and the Workers on it for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  return setupWith(project, await postgres())
}
