import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { installed } from '../lib/install.ts'

const help = `Writes the next file of migrations/: the SQL that brings the tables to what src/resources declares.

  npm run migration <what_changes>              of what has changed since the last migration
  npm run migration <what_changes> -- --custom  an empty one, to be filled in by hand: for rows, say`

/** The new migration follows from the declared tables and from migrations/meta, which is to be committed with it. */
await runCommand(async () => {
  const { name, custom } = readCommandLine()
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

/** What the arguments ask for. Throws the help, or a complaint about arguments that make no sense. */
function readCommandLine() {
  const args = process.argv.slice(2)
  const [name = '', ...others] = args.filter((argument) => !argument.startsWith('-'))
  const flags = args.filter((argument) => argument.startsWith('-'))
  const options = { custom: { type: 'boolean', default: false } } as const
  const { custom } = readArguments({ name: 'migration', help, options }, flags)
  if (!/^[a-z0-9_]+$/.test(name) || others.length > 0) {
    throw complaint(help)
  }
  return { name, custom }
}
