import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createCipher } from '../../src/db/cipher.ts'
import { sealContext } from '../../src/db/rows.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { type Environment, paths, wranglerEnv } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { demoStatements } from './demo.ts'

/** The table whose presence says that the demo data were loaded, so that people who were deleted since do not come back. */
const mark = 'demo_data'

/**
 * Brings the local database up to date: the migrations that it lacks, and the demo data once.
 *
 * @param cardKeys the key ring that card numbers are encrypted with
 * @param environment whose database it is; environments without a `database_id` share one on this machine
 */
export async function prepareDatabase(
  cardKeys: string,
  environment: Environment = 'template',
): Promise<void> {
  const where = ['DB', '--local', '--env', wranglerEnv(environment)]
  await wrangler('d1', 'migrations', 'apply', ...where)
  if (await isLoaded(where)) {
    return
  }
  const cipher = createCipher(parseKeyRing(cardKeys))
  const statements = await demoStatements({
    encrypt: (id, cardNumber) =>
      cipher.encrypt(cardNumber, sealContext('users', id, 'creditCardNumber')),
  })
  await mkdir(dirname(paths.demoData), { recursive: true })
  await writeFile(
    paths.demoData,
    [`CREATE TABLE ${mark} (loaded_at TEXT DEFAULT CURRENT_TIMESTAMP);`, ...statements].join('\n'),
  )
  await wrangler('d1', 'execute', ...where, '--file', paths.demoData)
  await rm(paths.demoData)
}

async function isLoaded(where: readonly string[]): Promise<boolean> {
  const look = `SELECT name FROM sqlite_schema WHERE name = '${mark}'`
  const answer = await wrangler('d1', 'execute', ...where, '--json', '--command', look)
  return JSON.parse(answer)[0].results.length > 0
}
