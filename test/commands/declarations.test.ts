import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const wrong = join(import.meta.dirname, 'wrong-declarations.ts')
const lines = readFileSync(wrong, 'utf8').split('\n')
const marker = /\/\/ @ts-expect-error (\w+): (.*)/

/** The lines that must be refused, by number from 1, each with the word that the compiler must use. */
const announced = lines.flatMap((line, index) => {
  const [, word = '', what = ''] = marker.exec(line) ?? []
  return word === '' ? [] : [{ what, word, line: index + 2 }]
})

/** Inside the project, so that a copy finds the packages of the original. */
const folder = mkdtempSync(join(root, 'node_modules', '.declarations-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Compiles a file with the options of the tests, and gives what the compiler says, a line each. */
async function compiled(name: string, text: string): Promise<string[]> {
  writeFileSync(join(folder, `${name}.ts`), text)
  const config = {
    extends: join(root, 'test/tsconfig.json'),
    // The types of `stored` come from the store.
    include: [`./${name}.ts`, join(root, 'src/db/stored.ts')],
    exclude: [],
  }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const run = promisify(execFile)(process.execPath, [tsc, '-p', join(folder, `${name}.json`)])
  const output = await run.catch((error: { readonly stdout: string }) => error)
  return output.stdout.split('\n').filter((line) => /^\S.*error TS/.test(line))
}

/** The original as it reads from elsewhere. */
const text = lines.join('\n').replaceAll("'../../src/", `'${pathToFileURL(root).pathname}/src/`)

describe('a wrong declaration does not compile', () => {
  // That no marker stands where nothing is wrong, npm run check -- --only types tells: it compiles the file as it is.
  it('and the compiler names what is wrong, in the line where it stands', async () => {
    const errors = await compiled('unmarked', text.replaceAll('@ts-expect-error', ''))
    expect(announced.length).toBeGreaterThan(15)
    expect(errors).toEqual(
      announced.map(({ word, line }) =>
        expect.stringMatching(new RegExp(`unmarked\\.ts\\(${line},\\d+\\): .*\\b${word}\\b`)),
      ),
    )
  })
})
