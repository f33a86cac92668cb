import { complaint } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { differences, expectedSchema, objectsQuery, type StoredObject, schemaOf } from './schema.ts'
import type { Deploying } from './tools.ts'

/**
 * Applies the migrations to D1, and compares its schema with what they make in a fresh database. Where a migration fails, the complaint
 * says what is different, too: half of it may be applied.
 *
 * @throws a complaint when a migration fails or anything differs
 */
export async function migrateD1({ wrangler, print, where }: Deploying): Promise<void> {
  const info = await wrangler('d1', 'time-travel', 'info', 'DB', ...where, '--json')
  const { bookmark } = JSON.parse(info)
  print(`Before this deployment the database stood at bookmark ${bookmark}`)
  const migrated = wrangler('d1', 'migrations', 'apply', 'DB', ...where, '--remote')
  const failure = await migrated.then(print, (error: Error) => error)
  const query = `--command=${objectsQuery}`
  const answer = await wrangler('d1', 'execute', 'DB', ...where, '--remote', '--json', query)
  const [{ results }] = JSON.parse(answer) as [{ results: StoredObject[] }]
  const found = differences(expectedSchema(paths.migrations), schemaOf(results))
  if (failure instanceof Error || found.length > 0) {
    throw complaint(
      [
        ...(failure instanceof Error ? [failure.message] : []),
        'No version was deployed: the database is not what the migrations make.',
        ...found.map((difference) => `  ${difference}`),
        'docs/operations.md, "A migration of which half is applied", says how to go on. As it was before:',
        `  npx wrangler d1 time-travel restore DB ${where.join(' ')} --bookmark=${bookmark}`,
      ].join('\n'),
      failure,
    )
  }
  print('The database is what the migrations make.')
}
