import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { complaint } from './complaint.ts'
import { paths } from './config.ts'

/**
 * Runs a program of the project's packages, with its output passed on.
 *
 * @returns its exit code
 */
export async function run(program: string, ...args: readonly string[]): Promise<number> {
  const shell = process.platform === 'win32'
  const child = spawn(program, args, { cwd: paths.root, stdio: 'inherit', shell })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

/**
 * Runs one of the project's commands.
 *
 * @throws a complaint when it fails
 */
export async function npmRun(command: string): Promise<void> {
  if ((await run('npm', 'run', '--silent', command)) !== 0) {
    throw complaint(`npm run ${command} fails.`)
  }
}
