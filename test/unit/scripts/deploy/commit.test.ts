import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCommit } from '../../../../scripts/deploy/commit.ts'

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
