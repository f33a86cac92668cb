import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { configOf } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { addressIn } from '../postgres/address.ts'
import { inCommit, readCommit } from './commit.ts'
import type { Deployment } from './live.ts'
import type { DeployOptions } from './options.ts'
import { readSettings, type Settings } from './settings.ts'
import { smokeTest, smokeToken } from './smoke.ts'

/** Milliseconds after which a version that has just been deployed without traffic can be asked for everywhere. */
const spreadMs = 10_000

/** What a deployment works with. */
export type Tools = ReturnType<typeof toolsFor>

/** The tools of a deployment that reach an account. */
export function toolsFor({ engine, env }: DeployOptions, { name, vars }: Settings) {
  return {
    wrangler,
    print: (line: string) => console.log(line),
    /** The address of the database of PostgreSQL, for the owner of its tables. Throws a complaint where none is given. */
    postgresUrl: () => addressIn(process.env),
    commit: readCommit,
    inCommit,
    /** The settings of the environment in a folder. */
    settingsIn: (folder: string) => readSettings(join(folder, basename(configOf[engine])), env),
    /** Reads from a deployed service, from one version of it if given. Gives a sentence for each fault. */
    async smoke(address: string, id: string | undefined): Promise<readonly string[]> {
      const token = await smokeToken(process.env)
      if (token === undefined) {
        console.log('No SMOKE_TOKEN is set: the smoke test looks at the pages alone.')
      }
      if (id !== undefined) {
        await sleep(spreadMs)
      }
      const version = id === undefined ? undefined : { worker: name, id }
      return smokeTest({ address, root: vars.ROOT_PATH ?? '/jsonapi', token, version })
    },
  }
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
