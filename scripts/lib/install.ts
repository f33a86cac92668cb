import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { paths } from './config.ts'
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

/**
 * Installs a package beside those of the project, for commands that are run seldom. The lock file stays as it is.
 *
 * @param spec its name, and an exact version: `axe-core@4.14.1`
 * @throws a complaint with what npm wrote when it fails
 */
export async function npmInstalled(spec: string): Promise<void> {
  const [name = '', version] = spec.split('@')
  const file = join(paths.root, 'node_modules', name, 'package.json')
  const present = await readFile(file, 'utf8').then(JSON.parse, () => ({}))
  if (present.version !== version) {
    await outputOf(paths.root, 'npm', 'install', '--no-save', '--no-audit', '--no-fund', spec)
  }
}
