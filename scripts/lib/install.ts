import { readFile, stat } from 'node:fs/promises'
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

/** When a file was last changed, in milliseconds; 0 when it is not there. */
async function changed(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs
  } catch {
    return 0
  }
}
