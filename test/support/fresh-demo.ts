import { demoData } from './databases.ts'
import type { Vars } from './server.ts'
import { type BackDoor, variant } from './service.ts'

/**
 * A Worker whose demo people are as they are after a start.
 *
 * @param vars of this Worker alone, so that nobody else writes to its database
 */
export async function freshDemo(vars: Vars): Promise<BackDoor> {
  const service = await variant(vars)
  const people = (await demoData()).map((sql) => [sql] as const)
  await service.batch([['DELETE FROM users'], ...people])
  return service
}
