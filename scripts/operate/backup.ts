import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { wrangler } from '../lib/wrangler.ts'
import { databaseFrom, databaseHelp, databaseOptions } from './database.ts'

const help = `Writes a whole database to a file of SQL. npm run restore brings it back.

  npm run backup -- --file backup.sql
  npm run backup -- --file backup.sql --env production --remote

  --file <file>    where to; it must not be there yet
${databaseHelp}

At Cloudflare, an export keeps all other requests to the database waiting until it is written: choose a quiet hour.
Time Travel needs no backup (docs/operations.md). The file holds personal data; card numbers stay encrypted in it.
`

await runCommand(async () => {
  const { file, ...values } = readArguments({
    name: 'backup',
    help,
    options: { file: { type: 'string' }, ...databaseOptions },
  })
  if (!file) {
    throw complaint('Where to? Name a file with --file.')
  }
  if (existsSync(file)) {
    throw complaint(`${file} is there already: choose another name.`)
  }
  const { where, name } = databaseFrom(values)
  const remote = where.includes('--remote') ? ['--skip-confirmation'] : []
  await wrangler('d1', 'export', 'DB', ...where, ...remote, '--output', resolve(file))
  console.log(`${file} holds ${name}.`)
})
