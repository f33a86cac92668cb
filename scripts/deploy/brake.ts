import { isTrue } from '../../src/lib/variables.ts'
import { complaint } from '../lib/complaint.ts'
import type { Commit } from './commit.ts'
import { type Deployment, withTraffic } from './live.ts'
import { type DeployOptions, workerOf } from './options.ts'
import { type ReleaseTools, release } from './release.ts'
import { demandSettings, type Settings } from './settings.ts'

/** What the brake works with. */
export interface BrakeTools extends ReleaseTools {
  readonly commit: (folder?: string) => Promise<Commit | undefined>
  /** Does something in a folder with the files of a commit, by its tag; in this one where the repository does not have it. */
  readonly inCommit: (
    tag: string | undefined,
    work: (folder: string) => Promise<void>,
  ) => Promise<void>
  /** The settings of the environment in a folder. */
  readonly settingsIn: (folder: string) => Settings
}

/**
 * Refuses writes, or accepts them again: gives all traffic at once to the commit that is live, with `READ_ONLY` alone changed.
 *
 * @param live the current deployment
 * @throws a complaint where nothing is deployed, and where settings are missing or wrong
 */
export async function brake(
  options: DeployOptions,
  live: Deployment | undefined,
  tools: BrakeTools,
): Promise<void> {
  const { readOnly = false } = options
  const [version] = live?.versions ?? []
  if (version === undefined) {
    throw complaint('Nothing is deployed yet.')
  }
  await tools.inCommit(version.tag, async (folder) => {
    const settings = tools.settingsIn(folder)
    demandSettings(settings, options.env)
    const commit = await tools.commit(folder)
    if (commit?.tag !== version.tag) {
      const own = commit?.tag ?? 'what is in this folder'
      tools.print(
        `This repository does not have ${version.tag ?? 'the version'}, which is live: ${own} takes its place.`,
      )
    }
    const args = [`--cwd=${folder}`, `--var=READ_ONLY:${readOnly}`]
    const how = { upload: false, secretsFile: undefined, atOnce: true, args }
    await release(how, settings, live, workerOf(options), { ...tools, commit: async () => commit })
    tools.print(
      readOnly
        ? `Writes are refused; those under way end within two minutes. To accept writes again: ${command(options, 'off')}`
        : `Writes are accepted. To refuse them: ${command(options, 'on')}`,
    )
    if (!readOnly && isTrue(settings.vars.READ_ONLY)) {
      tools.print('But READ_ONLY is "true" in the configuration: the next deployment refuses them.')
    }
    const { address } = settings
    const faults = address === undefined ? [] : await tools.smoke(address, undefined)
    if (faults.length > 0) {
      const story = [`${address} does not answer as it should:`, ...faults].join('\n  ')
      throw complaint(`${story}\nThe version has all traffic all the same.`)
    }
  })
}

/** What keeps writes refused in a deployment where the version that is live refuses them: arguments for its upload. */
export function keptBrake(
  options: DeployOptions,
  live: Deployment | undefined,
  { vars }: Settings,
  print: (line: string) => void,
): readonly string[] {
  if (isTrue(vars.READ_ONLY) || !withTraffic(live).some(({ readOnly }) => readOnly)) {
    return []
  }
  print(`Writes are refused, and stay so. To accept them: ${command(options, 'off')}`)
  return ['--var=READ_ONLY:true']
}

function command({ env, engine }: DeployOptions, state: 'on' | 'off'): string {
  const database = engine === 'd1' ? '' : ` --database ${engine}`
  return `npm run deploy -- --env ${env}${database} --read-only ${state}`
}
