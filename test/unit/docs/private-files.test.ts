import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..', '..')
const lines = globSync(['*.md', 'docs/**/*.md', 'scripts/**/*.ts'], { cwd: root }).flatMap((file) =>
  readFileSync(join(root, file), 'utf8').split('\n'),
)

/** The names of files with secrets or data of people, in the commands that documents and helps show. */
const names = new Set(
  lines.flatMap((line) =>
    [
      ...line.matchAll(/--secrets-file (\w[\w.-]*\.\w+)/g),
      ...line.matchAll(/npm run (?:-s )?person .*--file (\w[\w.-]*)/g),
      ...line.matchAll(/pg_dump .*--file (\w[\w.-]*)/g),
      ...line.matchAll(/d1 export .*--output (\w[\w.-]*)/g),
      ...line.matchAll(/ > (\w[\w.-]*\.(?:json|sql))/g),
    ].map(([, name = '']) => name),
  ),
)

it('Git ignores the files with secrets or data of people that documents and helps name', () => {
  expect(names).toContain('secrets.json')
  expect(names).toContain('backup.sql')
  const folder = mkdtempSync(join(tmpdir(), 'ignored-'))
  try {
    copyFileSync(join(root, '.gitignore'), join(folder, '.gitignore'))
    const git = (...args: readonly string[]) =>
      execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
    git('init', '--quiet')
    const ignored = git('-c', 'core.excludesFile=', 'check-ignore', ...names)
    expect(ignored.trimEnd().split('\n')).toEqual([...names])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
