import { appendFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { makePrivateFile } from '../lib/private-file.ts'
import { wrangler } from '../lib/wrangler.ts'
import { markOf, readBackup } from './backup-file.ts'
import {
  type D1,
  d1From,
  d1Help,
  d1Options,
  inWords,
  objectsOf,
  type RowCounts,
} from './database.ts'

const help = `Writes a whole database to a file of SQL. npm run restore brings it back.

  npm run backup -- --file backup.sql
  npm run backup -- --file backup.sql --env production --remote

  --file <file>    where to; it must not be there yet
${d1Help}

At Cloudflare, an export keeps all other requests to the database waiting until it is written: choose a quiet hour.
Time Travel needs no backup (docs/operations.md). The file holds personal data, and nobody but you may read it; card
numbers stay encrypted in it. Its last line says how many rows each table has: a file without it is cut off.
`

await runCommand(async () => {
  const { file, ...values } = readArguments({
    name: 'backup',
    help,
    options: { file: { type: 'string' }, ...d1Options },
  })
  if (!file) {
    throw complaint('Where to? Name a file with --file.')
  }
  const database = d1From(values)
  const rows = await makePrivateFile(file, () => save(database, file))
  console.log(`${file} holds ${database.name}: rows, ${inWords(rows)}.`)
})

/** Exports a database to a file that is there, and marks its end. @returns how many rows it holds */
async function save(database: D1, file: string): Promise<RowCounts> {
  const remote = database.isLocal ? [] : ['--skip-confirmation']
  await wrangler('d1', 'export', 'DB', ...database.where, ...remote, '--output', resolve(file))
  const { objects, rows } = await readBackup(file)
  // An export ends with the indexes, so that one which was cut off lacks some.
  const wanted = await objectsOf((statements) => database.query(statements))
  const missing = wanted.filter((object) => !objects.includes(object))
  if (missing.length > 0) {
    throw complaint(`The export was cut off: it lacks ${missing.join(', ')}. Try again.`)
  }
  await appendFile(file, markOf(rows))
  return rows
}
