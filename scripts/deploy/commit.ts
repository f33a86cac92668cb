import { complaint } from '../lib/complaint.ts'
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
  try {
    const name = await git(folder, 'rev-parse', '--short=12', 'HEAD')
    const changes = await git(folder, 'status', '--porcelain')
    const subject = await git(folder, 'log', '-1', '--format=%s')
    return { tag: changes === '' ? name : `${name}-changed`, message: subject.slice(0, 100) }
  } catch {
    return undefined
  }
}

/**
 * The migrations that are not as they were at a commit: changed, removed, or added, also where that is not committed yet.
 *
 * @param migrations their folder, relative to that of the project
 * @returns their files, relative to the folder of the project
 * @throws a complaint where the repository does not have the commit
 */
export async function migrationsChangedSince(
  commit: string,
  migrations: string,
  folder: string = paths.root,
): Promise<readonly string[]> {
  try {
    const changed = await git(folder, 'diff', '--name-only', '--relative', commit, '--', migrations)
    const added = await git(folder, 'ls-files', '--others', '--', migrations)
    return `${changed}\n${added}`.split('\n').filter(Boolean)
  } catch (error) {
    const hint = 'this clone does not have it. git fetch --unshallow brings all commits'
    throw complaint(`The commit ${commit} is live, and ${hint}`, error)
  }
}

/** Runs git in a folder; gives what it wrote, without white space around it. */
async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await outputOf(folder, 'git', ...args)).trim()
}
