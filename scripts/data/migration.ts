import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { isWindows } from '../lib/npm.ts'

const help = `Writes the next file of migrations/ and of migrations/postgres: the SQL that brings the tables to what src/resources declares.

  npm run migration <what_changes>              what has changed since the last migration
  npm run migration <what_changes> -- --custom  empty files, to fill in by hand, for example with rows`

/** What each run of drizzle-kit has in its environment. Node.js takes the columns of PostgreSQL under the condition of that name. */
const dialects = [
  { DIALECT: 'sqlite' },
  { DIALECT: 'postgresql', NODE_OPTIONS: `${process.env.NODE_OPTIONS} --conditions=postgres` },
]

/** The new migrations follow from the declared tables and from `meta` beside the others, which is to be committed with them. */
await runCommand(async () => {
  const { name, custom } = readCommandLine()
  const { dependencies } = JSON.parse(await readFile(join(paths.root, 'package.json'), 'utf8'))
  const packages = ['drizzle-kit@0.31.11', `drizzle-orm@${dependencies['drizzle-orm']}`]
  for (const environment of dialects) {
    const args = [
      '--yes',
      // Away from the project: npx would leave its drizzle-orm out, which drizzle-kit looks for beside itself.
      `--prefix=${import.meta.dirname}`,
      ...packages.map((one) => `--package=${one}`),
      'drizzle-kit',
      'generate',
      '--config=scripts/data/drizzle.config.ts',
      `--name=${name}`,
      ...(custom ? ['--custom'] : []),
    ]
    const env = { ...process.env, ...environment }
    const options = { cwd: paths.root, env, stdio: 'inherit', shell: isWindows } as const
    if (spawnSync('npx', args, options).status !== 0) {
      throw complaint('drizzle-kit fails.')
    }
  }
})

/** What the arguments ask for. Throws a complaint about arguments that make no sense. */
function readCommandLine() {
  const [name = '', ...others] = process.argv.slice(2)
  const flags = name.startsWith('-') ? [name, ...others] : others
  const options = { custom: { type: 'boolean', default: false } } as const
  const { custom } = readArguments({ name: 'migration', help, options }, flags)
  if (!/^[a-z0-9_]+$/.test(name)) {
    throw complaint('Name the change, in a-z, 0-9 and _: npm run migration add_phone_number')
  }
  return { name, custom }
}
