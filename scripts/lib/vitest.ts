import { createCLI } from 'vitest/node'
import { type CommandLine, readArguments } from './arguments.ts'
import { complaint } from './complaint.ts'
import { run } from './npm.ts'

/**
 * Reads the arguments of a command that passes them on to Vitest.
 *
 * @throws the help where it is asked for, and a complaint in one line about an option that Vitest does not have
 */
export function argumentsForVitest({
  name,
  help,
}: Pick<CommandLine<Record<never, never>>, 'name' | 'help'>): string[] {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    readArguments({ name, help, options: {} }, ['--help'])
  }
  const vitest = createCLI()
  vitest.parse(['node', 'vitest', 'run', ...args], { run: false })
  try {
    vitest.matchedCommand?.checkUnknownOptions()
  } catch (error) {
    const what = (error as Error).message.replaceAll('`', "'")
    throw complaint(`${what}: npm run ${name} -- --help lists the options.`, error)
  }
  return args
}

/**
 * Runs tests.
 *
 * @throws a complaint when they fail
 */
export async function runTests(...args: readonly string[]): Promise<void> {
  if ((await run('vitest', 'run', ...args)) !== 0) {
    throw complaint('Tests fail.')
  }
}
