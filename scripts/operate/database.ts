import { complaint } from '../lib/complaint.ts'
import { type Engine, type Environment, environments } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { spellings } from './engines.ts'

/** A row as it is stored. */
export type Row = Readonly<Record<string, string | number | null>>

/** A database that operators work on. */
export interface Database {
  readonly engine: Engine
  readonly isLocal: boolean
  /** For people: `the local database`. */
  readonly name: string
  /** Runs statements in one transaction, and gives the rows of each. */
  query(statements: readonly string[]): Promise<readonly (readonly Row[])[]>
}

/** A database of D1. */
export interface D1 extends Database {
  readonly engine: 'd1'
  /** Arguments of wrangler that name it. */
  readonly where: readonly string[]
}

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
    return d1(['--local'], 'the local database')
  }
  const known: Environment | undefined = environments.find((name) => name === env)
  if (known === undefined || !remote) {
    throw complaint(
      `A database at Cloudflare needs --remote and --env, one of ${environments.join(', ')}.`,
    )
  }
  return d1(['--env', known, '--remote'], `the database of ${known}`)
}

/**
 * A database of D1 that wrangler reaches.
 *
 * @param where its arguments that name it
 * @param name for people
 */
function d1(where: readonly string[], name: string): D1 {
  return {
    engine: 'd1',
    where,
    isLocal: !where.includes('--remote'),
    name,
    async query(statements) {
      if (statements.length === 0) {
        return []
      }
      const command = statements.join(';\n')
      const answer = await wrangler('d1', 'execute', 'DB', ...where, '--json', '--command', command)
      return (JSON.parse(answer) as { results: readonly Row[] }[]).map(({ results }) => results)
    },
  }
}

/** A table, and the columns of it that refer to other tables. */
export interface Table {
  readonly name: string
  readonly references: readonly { readonly column: string; readonly table: string }[]
}

/** The tables of a database but for those of the engine and the platform, from its own catalog. */
export async function tablesOf(database: Database): Promise<readonly Table[]> {
  const [rows = []] = await database.query([spellings[database.engine].tables])
  const tables = new Map<string, { column: string; table: string }[]>()
  for (const { name, table, from } of rows) {
    const references = tables.get(String(name)) ?? []
    tables.set(String(name), references)
    if (table !== null) {
      references.push({ column: String(from), table: String(table) })
    }
  }
  return [...tables].map(([name, references]) => ({ name, references }))
}
