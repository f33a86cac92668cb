import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { lockState } from '../lib/lock.ts'
import { inPrivateFolder } from '../lib/private-file.ts'
import { wrangler } from '../lib/wrangler.ts'
import { readBackup } from './backup-file.ts'
import {
  type D1,
  d1From,
  d1Help,
  d1Options,
  differences,
  inWords,
  type RowCounts,
  rowCounts,
  type Table,
  tablesOf,
} from './database.ts'

const help = `Replaces a whole database by what npm run backup has written.

  npm run restore -- --file backup.sql --replace
  npm run restore -- --file backup.sql --replace --env production --remote

  --file <file>    the backup
  --replace        yes, what is in the database now is lost
  --unmarked       the backup has no mark at its end: it is from before backups had one
${d1Help}

It refuses while npm start runs on the local database. End npx wrangler dev yourself first: it takes no lock.

Before anything is touched, the rows in the file are counted, and compared with its mark; afterwards those in the database.
At Cloudflare the database answers nobody while it is restored; when that fails, it is as before. For a state of the last
30 days, Time Travel is faster and loses less (docs/operations.md).
`

await runCommand(async () => {
  const { file, replace, unmarked, ...values } = readArguments({
    name: 'restore',
    help,
    options: {
      file: { type: 'string' },
      replace: { type: 'boolean' },
      unmarked: { type: 'boolean' },
      ...d1Options,
    },
  })
  if (!file) {
    throw complaint('From where? Name a backup with --file.')
  }
  if (!existsSync(file)) {
    throw complaint(`There is no ${file}.`)
  }
  const database = d1From(values)
  if (!replace) {
    throw complaint(
      `All that is in ${database.name} would be lost: say --replace if that is meant.`,
    )
  }
  if (database.isLocal) {
    lockState('npm run restore')
    // The tables may become those of an older migration: the next start brings them up to date.
    await rm(paths.prepared, { recursive: true, force: true })
  }
  const rows = await demandWhole(file, unmarked)
  await replaceBy(file, database)
  const found = await rowCounts((sql) => database.query(sql))
  // Counters are not compared: those that the backup lacks were made.
  const changed = differences({ ...found, counters: 0 }, { ...rows, counters: 0 })
  if (changed !== '') {
    throw complaint(
      `${database.name} does not hold what ${file} does: rows, ${changed}. Has somebody written since? If not, restore again.`,
    )
  }
  console.log(
    `Restored ${file}: it is all that ${database.name} holds now: rows, ${inWords(found)}.`,
  )
})

/**
 * Counts the rows in a backup, and compares them with its mark.
 *
 * @throws a complaint when they differ, and when there is no mark although nobody said that there is none
 */
async function demandWhole(file: string, unmarked = false): Promise<RowCounts> {
  const { rows, mark } = await readBackup(file)
  const found = inWords(rows)
  if (mark === undefined && !unmarked) {
    throw complaint(
      `${file} has no mark at its end: it was cut off, or is older than marks. It holds rows, ${found}. If that is all, say --unmarked.`,
    )
  }
  if (mark === undefined) {
    console.log(`${file} has no mark. It holds rows, ${found}.`)
  }
  const changed = differences(rows, mark ?? rows)
  if (changed !== '') {
    throw complaint(`${file} is not what was saved: rows, ${changed}.`)
  }
  return rows
}

/** Replaces all tables of a database by those of a backup, without triggers that an older one brings, and counts users anew. */
async function replaceBy(file: string, database: D1): Promise<void> {
  const { recounts, triggerDrops } = await import('./counters.ts')
  const drops = inOrder(await tablesOf(database)).map(({ name }) => `DROP TABLE "${name}";\n`)
  await inPrivateFolder(join(tmpdir(), 'restore-'), async (folder) => {
    // One file, since one file is one transaction: nobody is left with an empty database.
    const script = join(folder, 'restore.sql')
    const parts = [
      Readable.from(['PRAGMA defer_foreign_keys = on;\n', ...drops]),
      createReadStream(file),
      Readable.from(['\n', ...[...triggerDrops, ...recounts].map((sql) => `${sql};\n`)]),
    ]
    await pipeline(async function* () {
      for (const part of parts) {
        yield* part
      }
    }, createWriteStream(script))
    await wrangler('d1', 'execute', 'DB', ...database.where, '--yes', '--file', script)
  })
}

/** Tables in an order in which they can be dropped: those that refer to others before them. */
function inOrder(tables: readonly Table[]): Table[] {
  const free = tables.filter(
    ({ name }) =>
      !tables.some(
        (other) => other.name !== name && other.references.some(({ table }) => table === name),
      ),
  )
  // Tables that refer to each other in a circle go last, in any order.
  return free.length === 0
    ? [...tables]
    : [...free, ...inOrder(tables.filter((table) => !free.includes(table)))]
}
