import { rm, writeFile } from 'node:fs/promises'
import { complaint } from './complaint.ts'

/**
 * Makes a file that nobody but its owner may read, for secrets and for data of people, and fills it. It is removed again when that
 * fails.
 *
 * @throws a complaint when the file is there already, or cannot be made
 */
export async function makePrivateFile<Result>(
  file: string,
  fill: () => Promise<Result>,
): Promise<Result> {
  try {
    await writeFile(file, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw complaint(
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? `${file} is there already: choose another name.`
        : `${file} cannot be written: ${(error as Error).message}.`,
      error,
    )
  }
  try {
    return await fill()
  } catch (error) {
    await rm(file)
    throw error
  }
}
