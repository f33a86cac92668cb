import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { run } from '../lib/npm.ts'
import { forPostgres } from './migrations.ts'

const help = `Writes the next file of migrations/: the SQL that brings the tables to what src/resources declares. Then prints the
same for PostgreSQL, and the name of its file in migrations/postgres.

  npm run migration <what_changes>              what has changed since the last migration
  npm run migration <what_changes> -- --custom  an empty file, to fill in by hand, for example with rows`

/** The new migration follows from the declared tables and from migrations/meta, which is to be committed with it. */
await runCommand(async () => {
  const { name, custom } = readCommandLine()
  const { dependencies } = JSON.parse(await readFile(join(paths.root, 'package.json'), 'utf8'))
  const packages = ['drizzle-kit@0.31.11', `drizzle-orm@${dependencies['drizzle-orm']}`]
  const before = await sqlIn(paths.migrations)
  process.exitCode = await run(
    'npx',
    '--yes',
    // Away from the project: npx would leave its drizzle-orm out, which drizzle-kit looks for beside itself.
    `--prefix=${import.meta.dirname}`,
    ...packages.map((one) => `--package=${one}`),
    'drizzle-kit',
    'generate',
    '--config=scripts/data/drizzle.config.ts',
    `--name=${name}`,
    ...(custom ? ['--custom'] : []),
  )
  const made = (await sqlIn(paths.migrations)).find((file) => !before.includes(file))
  if (made !== undefined) {
    const sql = await readFile(join(paths.migrations, made), 'utf8')
    const number = String((await sqlIn(paths.postgresMigrations)).length + 1).padStart(4, '0')
    console.log(`
For PostgreSQL, write the same to migrations/postgres/${number}_${name}.sql. An integer is there what
src/db/postgres/pg-columns.ts makes of it: boolean, bigint or timestamptz (3). A table comes after those that it references.

${forPostgres(sql)}`)
  }
})

/** The names of the migrations in a folder. */
async function sqlIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql'))
}

/** What the arguments ask for. Throws the help, or a complaint about arguments that make no sense. */
function readCommandLine() {
  const args = process.argv.slice(2)
  const [name = '', ...others] = args.filter((argument) => !argument.startsWith('-'))
  const flags = args.filter((argument) => argument.startsWith('-'))
  const options = { custom: { type: 'boolean', default: false } } as const
  const { custom } = readArguments({ name: 'migration', help, options }, flags)
  if (!/^[a-z0-9_]+$/.test(name) || others.length > 0) {
    throw complaint('Name the change, in a-z, 0-9 and _: npm run migration add_phone_number')
  }
  return { name, custom }
}
