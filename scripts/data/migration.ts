import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { complaint, runCommand } from '../lib/complaint.ts'
import { installed } from '../lib/install.ts'

const help = `Writes the next file of migrations/: the SQL that brings the tables to what src/resources declares.

  npm run migration <what_changes>              of what has changed since the last migration
  npm run migration <what_changes> -- --custom  an empty one, to be filled in by hand: for rows, say`

/** The new migration follows from the declared tables and from migrations/meta, which is to be committed with it. */
await runCommand(async () => {
  const { name, custom } = readArguments()
  await installed(import.meta.dirname)
  const command = join(import.meta.dirname, 'node_modules', 'drizzle-kit', 'bin.cjs')
  const args = ['generate', `--name=${name}`, ...(custom ? ['--custom'] : [])]
  const generator = spawn(process.execPath, [command, ...args], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  })
  const [code] = await once(generator, 'exit')
  process.exitCode = code ?? 1
})

/** What the arguments ask for. Throws a complaint with the help on those that make no sense. */
function readArguments() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    strict: false,
    options: { custom: { type: 'boolean' } },
  })
  const [name = '', ...others] = positionals
  const known = Object.keys(values).every((option) => option === 'custom')
  if (!/^[a-z0-9_]+$/.test(name) || others.length > 0 || !known) {
    throw complaint(help)
  }
  return { name, custom: values.custom === true }
}
