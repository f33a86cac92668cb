import { complaint } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import type { Wrangler } from '../lib/wrangler.ts'
import type { LiveVersion } from './live.ts'
import { differences, expectedSchema, objectsQuery, type StoredObject, schemaOf } from './schema.ts'

/** What the database of a deployment is reached with. */
export interface DatabaseTools {
  readonly wrangler: Wrangler
  /** The same for a command that only asks something of Cloudflare: the complaint says why there is no answer. */
  readonly ask: Wrangler
  /** The migrations of a folder of the project that are not as they were at a commit. */
  readonly migrationsChangedSince: (commit: string, folder: string) => Promise<readonly string[]>
  readonly print: (line: string) => void
}

/**
 * Applies the migrations, and compares what the database then consists of with what they make in a fresh one. What stops is told
 * with the state that the database is in, also where a migration fails: half of it may be applied.
 *
 * @param where arguments of wrangler that tell which database
 * @param folder the migrations, as files of SQL
 * @throws a complaint when a migration fails or anything differs
 */
export async function migrate(
  { wrangler, ask, print }: Pick<DatabaseTools, 'wrangler' | 'ask' | 'print'>,
  where: readonly string[],
  folder: string = paths.migrations,
): Promise<void> {
  const { bookmark } = JSON.parse(await ask('d1', 'time-travel', 'info', 'DB', ...where, '--json'))
  print(`Before this deployment the database stood at bookmark ${bookmark}`)
  const failure = await apply().catch((error: Error) => error)
  const found = await differencesFrom(folder, ask, where).catch((error: Error) => {
    throw failure === undefined ? error : complaint(`${failure.message}\n${error.message}`, error)
  })
  if (failure === undefined && found.length === 0) {
    print('The database is what the migrations make.')
    return
  }
  const restore = `npx wrangler d1 time-travel restore DB ${where.join(' ')} --bookmark=${bookmark}`
  throw complaint(
    [
      ...(failure === undefined ? [] : [failure.message]),
      'No version was deployed: the database is not what the migrations make.',
      ...found.map((difference) => `  ${difference}`),
      'docs/operations.md, "A migration of which half is applied", says how to go on. As it was before:',
      `  ${restore}`,
    ].join('\n'),
    failure,
  )

  async function apply(): Promise<undefined> {
    print(await wrangler('d1', 'migrations', 'apply', 'DB', ...where, '--remote'))
  }
}

async function differencesFrom(
  folder: string,
  ask: Wrangler,
  where: readonly string[],
): Promise<readonly string[]> {
  const answer = await ask(
    'd1',
    'execute',
    'DB',
    ...where,
    '--remote',
    '--json',
    `--command=${objectsQuery}`,
  )
  const [result]: { results: StoredObject[] }[] = JSON.parse(answer)
  return differences(expectedSchema(folder), schemaOf(result?.results ?? []))
}

/**
 * Sees that a version can go out without migrations: those of this commit are those of the version that is live.
 *
 * @param live the version that is live; undefined where there is none
 * @param folder of the migrations, in the project
 * @param where arguments of wrangler that tell which Worker
 * @throws a complaint when they differ, and where nobody can tell
 */
export async function demandSameMigrations(
  { migrationsChangedSince }: Pick<DatabaseTools, 'migrationsChangedSince'>,
  live: LiveVersion | undefined,
  folder: string,
  where: readonly string[],
): Promise<void> {
  if (live === undefined) {
    throw complaint('--code-only deploys beside a version that is live, and there is none.')
  }
  const { id, tag } = live
  if (tag === undefined || !/^[0-9a-f]{7,40}$/.test(tag)) {
    const own = `compare ${folder}/ yourself, then: npx wrangler deploy ${where.join(' ')}`
    throw complaint(`The live version ${id} names no commit that it was made from: ${own}`)
  }
  const changed = await migrationsChangedSince(tag, folder)
  if (changed.length > 0) {
    const why = `${folder}/ is not as it was at ${tag}, which is live`
    throw complaint([`--code-only applies no migration, but ${why}:`, ...changed].join('\n  '))
  }
}
