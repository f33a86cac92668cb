import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const urlOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

/** Sends a row to the local D1, and ends as a command does that is interrupted, once the row is in a file, whose folder it prints. */
const program = `
  import { existsSync, mkdirSync, readdirSync } from 'node:fs'
  import { join } from 'node:path'
  import { paths } from ${urlOf('../../scripts/lib/config.ts')}
  import { d1Of } from ${urlOf('../../scripts/postgres/move/databases.ts')}
  mkdirSync(paths.state, { recursive: true })
  // A move that was killed leaves a folder behind.
  const before = new Set(readdirSync(paths.state))
  d1Of({ where: ['--local'] }).run(['SELECT 1'])
  const end = () => {
    const isNew = (name) => !before.has(name) && existsSync(join(paths.state, name, 'rows.sql'))
    const folder = readdirSync(paths.state).find((name) => name.startsWith('move-') && isNew(name))
    if (folder === undefined) {
      setTimeout(end, 5)
    } else {
      console.log(join(paths.state, folder))
      process.exit()
    }
  }
  setTimeout(end, 5)`

it('a move that is interrupted leaves no rows in a file', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ])
  expect(stdout).toMatch(/move-\w+\n$/)
  expect(existsSync(stdout.trim())).toBe(false)
})
