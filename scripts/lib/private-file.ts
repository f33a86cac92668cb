import { writeFile } from 'node:fs/promises'
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
