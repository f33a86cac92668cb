import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { outputOf } from './npm.ts'

/**
 * Installs the packages of a folder with a package.json of its own, unless they were installed since its lock file changed.
 * No script of any package runs.
 *
 * @throws a complaint with what npm wrote when it fails
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
  await outputOf(folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
}

/** When a file was last changed, in milliseconds; 0 when it is not there. */
async function changed(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs
  } catch {
    return 0
  }
}
