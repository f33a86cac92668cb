import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { complaint } from './complaint.ts'

/**
 * Makes a file that nobody but its owner may read, for secrets and for data of people.
 *
 * @throws a complaint when the file is there already, or cannot be made
 */
export async function makePrivateFile(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch(({ code, message }) => {
    throw complaint(
      code === 'EEXIST'
        ? `${file} is there already: choose another name.`
        : `${file} cannot be written: ${message}.`,
    )
  })
}

/** The text of a file that nobody but its owner may read; made on first use, with its folder. */
export async function readOrMake(file: string, make: () => Promise<string>): Promise<string> {
  if (!existsSync(file)) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, await make(), { mode: 0o600 })
  }
  return readFile(file, 'utf8')
}
