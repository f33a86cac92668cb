import { DatabaseError } from 'pg'
import { expect, it } from 'vitest'
import type { Connection } from '../../../src/db/engine.ts'
import { runAll } from '../../../src/db/postgres/pg-engine.ts'

it('Where a backend dies in a transaction, its error comes first, and then that of ROLLBACK', async () => {
  const query = async (asked: string | { readonly text: string }) => {
    if (typeof asked !== 'string') {
      throw new DatabaseError('terminating connection', 1, 'error')
    }
    if (asked === 'rollback') {
      throw new Error('not queryable')
    }
    return { rows: [] }
  }
  const connection = {
    client: { connected: async () => ({ query }) },
    call: (work: () => unknown) => work(),
  } as unknown as Connection
  const statement = { sql: 'select 1', params: [] }
  const error = await runAll(connection, [statement, statement]).catch((error) => error)
  expect([error.message, error.cause.message]).toEqual(['terminating connection', 'not queryable'])
})
