import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paths } from '../lib/config.ts'
import { outputOf } from '../lib/npm.ts'

/** What a version is called at Cloudflare. */
export interface Commit {
  /** The commit's short name; `-changed` behind it where files differ from it. At most 25 characters. */
  readonly tag: string
  /** The first line of its message, at most 100 characters. */
  readonly message: string
}

/** The commit that is checked out; undefined where there is no git, or no repository. */
export async function readCommit(folder: string = paths.root): Promise<Commit | undefined> {
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
 * Does something in a folder with the files of a commit: in this one where that is checked out, else in one that is removed afterwards.
 *
 * @param tag what {@link readCommit} calls it
 * @param work what is done there; the folder is undefined where the repository does not have the commit
 */
export async function inCommit<Result>(
  tag: string | undefined,
  work: (folder: string | undefined) => Promise<Result>,
): Promise<Result> {
  const { root } = paths
  if (tag !== undefined && tag === (await readCommit())?.tag) {
    return work(root)
  }
  const git = (...args: string[]) => outputOf(root, 'git', ...args)
  const folder = await mkdtemp(join(tmpdir(), 'commit-'))
  const isThere = await git('worktree', 'add', '--detach', folder, `${tag}^{commit}`).then(
    () => true,
    () => false,
  )
  if (!isThere) {
    await rm(folder, { recursive: true })
    return work(undefined)
  }
  try {
    const [own, its] = await Promise.all(
      [root, folder].map((each) => readFile(join(each, 'package-lock.json'), 'utf8')),
    )
    await (own === its
      ? symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
      : outputOf(folder, 'npm', 'ci', '--no-audit', '--no-fund'))
    return await work(folder)
  } finally {
    await git('worktree', 'remove', '--force', folder)
  }
}
