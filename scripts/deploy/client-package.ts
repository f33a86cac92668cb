import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { paths } from '../lib/config.ts'
import { installed } from '../lib/install.ts'
import { outputOf } from '../lib/npm.ts'

/** The package for authors of clients, as a file that a deployed service serves. */
const name = 'users-countries-currencies-client'

/**
 * Builds the package for authors of clients, and packs it.
 *
 * @returns the file
 * @throws a complaint when npm fails
 */
export async function packClient(
  folder = join(paths.root, 'public', 'docs', 'guides'),
): Promise<string> {
  const source = join(paths.root, 'clients', 'typescript')
  await installed(source)
  await mkdir(folder, { recursive: true })
  const told = await outputOf(source, 'npm', '--silent', 'pack', '--pack-destination', folder)
  const file = join(folder, `${name}.tgz`)
  await rename(join(folder, told.trim().split('\n').at(-1) ?? ''), file)
  return file
}
