import { join } from 'node:path'
import type { TestHarness } from 'wrangler'
import type { SqlStatement } from './back-door.ts'
import { compatibility } from './compatibility.ts'

const name = 'back-door'

/**
 * The Worker in back-door.ts, for the harness, beside the service. Bindings that the harness itself hands out would not do: each call
 * of theirs stops the whole process until workerd answers, and workerd does not while the process leaves its log unread.
 */
export const backDoorWorker = {
  config: {
    name,
    main: join(import.meta.dirname, 'back-door.ts'),
    compatibility_date: compatibility.date,
    d1_databases: [{ binding: 'DB', database_name: 'DB', database_id: 'local' }],
  },
}

/** Runs statements as one batch by the Worker in back-door.ts. @throws Error with what it says where they fail */
export async function askBackDoor<Result>(
  harness: TestHarness,
  statements: readonly SqlStatement[],
): Promise<Result> {
  const body = JSON.stringify(statements)
  const response = await harness.getWorker(name).fetch('http://back-door', { method: 'POST', body })
  if (!response.ok) {
    throw new Error(await response.text())
  }
  return (await response.json()) as Result
}
