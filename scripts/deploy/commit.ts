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
