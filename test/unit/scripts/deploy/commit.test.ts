import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrationsChangedSince, readCommit } from '../../../../scripts/deploy/commit.ts'

let folder: string
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commit-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('The commit that a version is named by', () => {
  it('is unknown outside a repository', async () => {
    expect(await readCommit(folder)).toBeUndefined()
  })

  it('is the one that is checked out, with the first line of its message, cut to 100 characters', async () => {
    git('init', '--quiet')
    git('commit', '--allow-empty', '--quiet', '--message', `${'long '.repeat(30)}\n\nBody`)
    const commit = await readCommit(folder)
    expect(git('rev-parse', 'HEAD').startsWith(commit?.tag ?? '?')).toBe(true)
    expect(commit?.tag).toHaveLength(12)
    expect(commit?.message).toBe('long '.repeat(20))
  })

  it('says so when files differ from it, in 25 characters at most', async () => {
    await writeFile(join(folder, 'file'), 'new')
    const { tag = '' } = (await readCommit(folder)) ?? {}
    expect(tag).toMatch(/^[0-9a-f]{12}-changed$/)
    expect(tag.length).toBeLessThanOrEqual(25)
  })
})

describe('The migrations that have changed since a commit', () => {
  const file = (name: string) => join(folder, 'migrations', name)
  let commit: string
  beforeAll(async () => {
    await mkdir(join(folder, 'migrations'), { recursive: true })
    await writeFile(file('0001.sql'), 'SELECT 1;')
    await writeFile(file('0002.sql'), 'SELECT 2;')
    git('add', '.')
    git('commit', '--quiet', '--message', 'Migrations')
    commit = git('rev-parse', '--short=12', 'HEAD')
    git('commit', '--allow-empty', '--quiet', '--message', 'A fix')
  })

  it('are none where other files have changed', async () => {
    await writeFile(join(folder, 'file'), 'newer')
    expect(await migrationsChangedSince(commit, 'migrations', folder)).toEqual([])
  })

  it('are those that were changed or added, committed or not', async () => {
    await writeFile(file('0001.sql'), 'SELECT 3;')
    git('commit', '--all', '--quiet', '--message', 'Change the first')
    await writeFile(file('0002.sql'), '')
    await writeFile(file('0003.sql'), '')
    expect(await migrationsChangedSince(commit, 'migrations', folder)).toEqual([
      'migrations/0001.sql',
      'migrations/0002.sql',
      'migrations/0003.sql',
    ])
  })

  it('cannot be told where the clone does not have the commit', async () => {
    await expect(migrationsChangedSince('0123456789ab', 'migrations', folder)).rejects.toThrow(
      /^The commit 0123456789ab is live, and this clone does not have it\. git fetch --unshallow/,
    )
  })
})
