import type { SQL } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { complaint, onDatabase } from '../lib/complaint.ts'
import { type Environment, environments } from '../lib/config.ts'
import { openD1 } from '../lib/d1.ts'

/** A row as it is stored. */
export type Row = Readonly<Record<string, string | number | null>>

/** A database that operators work on. */
export interface Database {
  readonly isLocal: boolean
  /** For people: `the local database`. */
  readonly name: string
  /** Runs statements in one transaction, and gives the rows of each. The first call connects. */
  query(statements: readonly SQL[]): Promise<readonly (readonly Row[])[]>
  close(): Promise<void>
}

/** A database of D1. */
export type D1 = ReturnType<typeof d1Of>

/** Options that name a database of D1, and what a help says of them. */
export const d1Options = {
  env: { type: 'string' },
  remote: { type: 'boolean' },
} as const

/** The lines of a help about {@link d1Options}. */
export const d1Help = `  --env <name>     staging or production, together with --remote; the default is the local database
  --remote         the database at Cloudflare; needed beside --env, so that nobody changes it by mistake`

/**
 * The database of D1 that the options name.
 *
 * @throws a complaint unless both are there, or none of them is
 */
export function d1From({
  env,
  remote = false,
}: {
  readonly env?: string | undefined
  readonly remote?: boolean | undefined
}): D1 {
  if (env === undefined && !remote) {
    return d1Of(undefined, false)
  }
  const known: Environment | undefined = environments.find((name) => name === env)
  if (known === undefined || !remote) {
    throw complaint(
      `A database at Cloudflare needs --remote and --env, one of ${environments.join(', ')}.`,
    )
  }
  return d1Of(known, true)
}

/** The database of an environment, of the top level of wrangler.toml if undefined: on this machine, or at Cloudflare. */
export function d1Of(env: Environment | undefined, remote: boolean) {
  let opening: ReturnType<typeof openD1> | undefined
  const name = remote ? `the database of ${env}` : 'the local database'
  return {
    /** Arguments of wrangler that name its Worker. */
    worker: env === undefined ? [] : ['--env', env],
    isLocal: !remote,
    name,
    ...d1Through(name, async () => {
      opening ??= openD1(env, remote)
      return (await opening).binding
    }),
    async close(): Promise<void> {
      await (await opening)?.close()
    },
  }
}

const dialect = new SQLiteAsyncDialect()

/** What a binding to D1 does with statements of Drizzle. */
export function d1Through(
  name: string,
  binding: () => Promise<Pick<D1Database, 'prepare' | 'batch'>>,
) {
  const bound = async (statement: SQL) => {
    const { sql, params } = dialect.sqlToQuery(statement)
    return (await binding()).prepare(sql).bind(...params)
  }
  return {
    query: (statements: readonly SQL[]) =>
      onDatabase(name, async () => {
        if (statements.length === 0) {
          return []
        }
        const bounds = await Promise.all(statements.map(bound))
        return (await (await binding()).batch<Row>(bounds)).map(({ results }) => results)
      }),
    /** Runs one statement, and gives its rows, each as its values in the order of the columns. */
    rows: (statement: SQL) =>
      onDatabase(name, async () => (await bound(statement)).raw<readonly unknown[]>()),
  }
}
