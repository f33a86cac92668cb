import type { Database } from '../../../test/bench/database.ts'
import { send } from '../../../test/fuzz/send.ts'
import { backDoorMethod, type SqlStatement } from './back-door.ts'

/** The statements that the back door prepares: what they are is known when they are sent. */
interface Prepared {
  readonly statement: SqlStatement
  bind(...values: unknown[]): Prepared
  raw(): Promise<unknown[][]>
}

/** The database behind a Worker, through its back door: a thousandth of what Miniflare's own way to it costs this process. */
export function databaseBehind(origin: string): Database {
  const run = async (statements: readonly SqlStatement[]): Promise<unknown[][][]> => {
    const body = JSON.stringify(statements)
    const request = { method: backDoorMethod, path: '/', headers: [], body }
    // To make the world takes as long as it takes.
    const { status, text } = await send(origin, request, { patience: 300_000 })
    if (status !== 200) {
      throw new Error(`The back door answers ${status} to ${body.slice(0, 500)}`)
    }
    return JSON.parse(text)
  }
  const prepare = (sql: string, values: readonly unknown[] = []): Prepared => ({
    statement: [sql, ...values],
    bind: (...bound) => prepare(sql, bound),
    raw: async () => (await run([[sql, ...values]]))[0] ?? [],
  })
  return {
    prepare: (sql) => prepare(sql),
    batch: (statements) => run((statements as Prepared[]).map(({ statement }) => statement)),
  }
}
