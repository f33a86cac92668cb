import { type Connection, newUsage } from '../db/connection.ts'
import type * as d1 from '../db/database.ts'
import { removeOldKeys } from '../db/keys.ts'
import type { Bound } from '../db/statement.ts'
import { createStore } from '../db/store.ts'
import { connectPostgres } from './connection.ts'
import type { Origin } from './wire.ts'

/* PostgreSQL as the Worker has it, behind Hyperdrive: the exports of `src/db/database.ts`, which tells what each of them is. */

/** The binding to Hyperdrive, under the name that wrangler.postgres.toml gives it. */
function originIn(env: object): Origin {
  return (env as { readonly HYPERDRIVE: Origin }).HYPERDRIVE
}

/** One store per isolate, and one connection for each call of it: a connection cannot outlive its request. */
export const openStore: typeof d1.openStore = (env, options) => {
  const origin = originIn(env)
  const { waitUntil, deadlineMs } = options
  const open = createStore(options, once(origin, deadlineMs))
  return {
    begin() {
      const usage = newUsage()
      const within = async <Value>(
        call: (session: ReturnType<typeof open>) => Promise<Value>,
      ): Promise<Value> => {
        const connection = connectPostgres(origin, usage, deadlineMs)
        try {
          return await call(open(connection.run, usage))
        } finally {
          waitUntil(connection.close())
        }
      }
      return {
        usage,
        bookmark: () => null,
        read: (reads) => within((session) => session.read(reads)),
        write: (edits, key) => within((session) => session.write(edits, key)),
      }
    },
  }
}

/** Asks the server whether it answers, and takes writes: after a failover it may be one that is only read. */
export const ask: typeof d1.ask = async (env) => {
  const [[[readOnly] = []] = []] = await once(originIn(env), mostAsked)([writes])
  if (readOnly !== 'off') {
    throw new Error('PostgreSQL takes no writes')
  }
}

const writes: Bound = { text: 'SHOW transaction_read_only', values: [] }

/** Milliseconds after which the server need not answer any more whether it is there. */
const mostAsked = 2_000

/** Adds up what writes have counted, too. */
export const tidy: typeof d1.tidy = async (env, deadlineMs) => {
  const run = once(originIn(env), deadlineMs)
  const done = await removeOldKeys(() => run)
  await run([addingUp])
  const [[[bytes] = []] = []] = await run([size])
  return { ...done, bytes: Number(bytes) }
}

/** A connection for a single call. */
function once(origin: Origin, deadlineMs: number): Connection {
  return async (statements) => {
    const { run, close } = connectPostgres(origin, newUsage(), deadlineMs)
    try {
      return await run(statements)
    } finally {
      await close()
    }
  }
}

const size: Bound = { text: 'SELECT pg_database_size(current_database())', values: [] }

/** Adds the changes of counters to them. A change that another run of this adds up, or that comes later, is left alone. */
const addingUp: Bound = {
  text: `WITH taken AS (DELETE FROM counter_changes RETURNING name, change)
    UPDATE counters SET value = value + coalesce((SELECT sum(change) FROM taken WHERE taken.name = counters.name), 0)`,
  values: [],
}
