import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/**
 * Installs the packages of a folder with a package.json of its own, unless they were installed since its lock file changed.
 * No script of any package runs.
 *
 * @throws Error with what npm wrote when it fails
 */
export async function installed(folder: string): Promise<void> {
  const [wanted, present] = await Promise.all([
    changed(join(folder, 'package-lock.json')),
    changed(join(folder, 'node_modules', '.package-lock.json')),
  ])
  if (present > wanted) {
    return
  }
  console.log(`Installing the packages of ${folder}`)
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
  })
  const [errors, [code]] = await Promise.all([text(npm.stderr), once(npm, 'exit')])
  if (code !== 0) {
    throw new Error(`npm ci failed in ${folder}:\n${errors}`)
  }
}

/** When a file was last changed, in milliseconds; 0 when it is not there. */
async function changed(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs
  } catch {
    return 0
  }
}
