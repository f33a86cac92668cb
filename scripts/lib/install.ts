import { statSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from './npm.ts'

/**
 * Installs the packages of a folder with a package.json of its own, unless they were installed since its lock file changed.
 * No script of any package runs.
 *
 * @throws a complaint with what npm wrote when it fails
 */
export async function installed(folder: string): Promise<void> {
  const [wanted = 0, present = 0] = [
    join(folder, 'package-lock.json'),
    join(folder, 'node_modules', '.package-lock.json'),
  ].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs)
  if (present > wanted) {
    return
  }
  console.log(`Installing the packages of ${folder}`)
  await outputOf(folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
}
