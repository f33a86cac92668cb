import type { Wrangler } from '../lib/wrangler.ts'
import type { Commit } from './commit.ts'
import type { Deployment } from './live.ts'
import type { DeployOptions } from './options.ts'
import type { Settings } from './settings.ts'

/** What a deployment works with. */
export interface Tools {
  readonly wrangler: Wrangler
  readonly print: (line: string) => void
  /** The address of the database of PostgreSQL, for the owner of its tables. Throws a complaint where none is given. */
  readonly postgresUrl: () => string
  /** The commit in a folder, in this one if absent; undefined where there is no repository. */
  readonly commit: (folder?: string) => Promise<Commit | undefined>
  /** Does something in a folder with the files of a commit, by its tag; in this one where the repository does not have it. */
  readonly inCommit: (
    tag: string | undefined,
    work: (folder: string) => Promise<void>,
  ) => Promise<void>
  /** The settings of the environment in a folder. */
  readonly settingsIn: (folder: string) => Settings
  /** Reads from a deployed service, from one version of it if given. Gives a sentence for each fault. */
  readonly smoke: (address: string, version: string | undefined) => Promise<readonly string[]>
}

/** A deployment that is under way. */
export interface Deploying extends Tools {
  readonly options: DeployOptions
  readonly settings: Settings
  /** Arguments of wrangler that name the Worker. */
  readonly where: readonly string[]
  /** The current deployment; undefined before the first one. */
  readonly live: Deployment | undefined
}
