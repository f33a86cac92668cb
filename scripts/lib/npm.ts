import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { complaint } from './complaint.ts'

/** On Windows, npm and the programs of packages are scripts of a shell. */
export const isWindows = process.platform === 'win32'

/**
 * Runs a program quietly.
 *
 * @param folder where it runs
 * @returns what it wrote to stdout
 * @throws a complaint with what it wrote when it fails
 */
export async function outputOf(
  folder: string,
  program: string,
  ...args: readonly string[]
): Promise<string> {
  const shell = isWindows && program !== 'git' && program !== process.execPath
  try {
    return (await promisify(execFile)(program, args, { cwd: folder, shell, maxBuffer: 2 ** 26 }))
      .stdout
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
    throw complaint([stdout, stderr].filter(Boolean).join('\n') || message, error)
  }
}
