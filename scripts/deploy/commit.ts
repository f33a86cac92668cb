import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { paths } from '../lib/config.ts'
import { outputOf } from '../lib/npm.ts'

/** What a version is called at Cloudflare. */
export type Commit = NonNullable<Awaited<ReturnType<typeof readCommit>>>

/**
 * The commit that is checked out; undefined where there is no git, or no repository. Its tag has at most 25 characters: its short name,
 * and `-changed` where files differ from it. Its message is its first line, cut to 100 characters.
 */
export async function readCommit(folder: string = paths.root) {
  const git = async (...args: string[]) => (await outputOf(folder, 'git', ...args)).trim()
  try {
    const name = await git('rev-parse', '--short=12', 'HEAD')
    const changes = await git('status', '--porcelain')
    const subject = await git('log', '-1', '--format=%s')
    return { tag: changes === '' ? name : `${name}-changed`, message: subject.slice(0, 100) }
  } catch {
    return undefined
  }
}

/**
 * Does something in a folder with the files of a commit: in this one where that is checked out, or where the repository does not have it;
 * else in one that is removed afterwards.
 *
 * @param tag what {@link readCommit} calls it
 */
export async function inCommit(
  tag: string | undefined,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const git = (...args: string[]) => outputOf(paths.root, 'git', ...args)
  // Inside of this one, where Node.js finds the packages of this one.
  const folder = join(paths.state, `commit-${tag}`)
  await rm(folder, { recursive: true, force: true })
  const isOther =
    tag !== (await readCommit())?.tag &&
    (await git('worktree', 'add', '--force', '--detach', folder, `${tag}^{commit}`).then(
      () => true,
      () => false,
    ))
  if (!isOther) {
    return work(paths.root)
  }
  try {
    if ((await git('diff', '--name-only', `${tag}`, '--', 'package-lock.json')) !== '') {
      await outputOf(folder, 'npm', 'ci', '--no-audit', '--no-fund')
    }
    await work(folder)
  } finally {
    await git('worktree', 'remove', '--force', folder)
  }
}
