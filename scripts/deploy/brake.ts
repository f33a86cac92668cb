import { isTrue } from '../../src/lib/variables.ts'
import { complaint } from '../lib/complaint.ts'
import { withTraffic } from './live.ts'
import type { DeployOptions } from './options.ts'
import { demandNone, release } from './release.ts'
import { demandSettings } from './settings.ts'
import type { Deploying } from './tools.ts'

/**
 * Refuses writes, or accepts them again: gives all traffic at once to the commit that is live, with `READ_ONLY` alone changed.
 *
 * @throws a complaint where nothing is deployed, and where settings are missing or wrong
 */
export async function brake(deploying: Deploying): Promise<void> {
  const { options, live, smoke, print } = deploying
  const { readOnly = false } = options
  const [version] = live?.versions ?? []
  if (version === undefined) {
    throw complaint('Nothing is deployed yet.')
  }
  await deploying.inCommit(version.tag, async (folder) => {
    const settings = deploying.settingsIn(folder)
    demandSettings(settings, options.env)
    const commit = await deploying.commit(folder)
    if (commit?.tag !== version.tag) {
      const own = commit?.tag ?? 'what is in this folder'
      print(
        `This repository does not have ${version.tag ?? 'the version'}, which is live: ${own} takes its place.`,
      )
    }
    const args = [`--cwd=${folder}`, `--var=READ_ONLY:${readOnly}`]
    await release({ ...deploying, settings }, { commit, atOnce: true, args })
    print(
      readOnly
        ? `Writes are refused; those under way end within two minutes. To accept writes again: ${command(options, 'off')}`
        : `Writes are accepted. To refuse them: ${command(options, 'on')}`,
    )
    if (!readOnly && isTrue(settings.vars.READ_ONLY)) {
      print('But READ_ONLY is "true" in the configuration: the next deployment refuses them.')
    }
    const { address } = settings
    if (address !== undefined) {
      const faults = await smoke(address, undefined)
      demandNone(faults, address, 'The version has all traffic all the same.')
    }
  })
}

/** What keeps writes refused in a deployment where the version that is live refuses them: arguments for its upload. */
export function keptBrake({ options, live, settings, print }: Deploying): readonly string[] {
  if (isTrue(settings.vars.READ_ONLY) || !withTraffic(live).some(({ readOnly }) => readOnly)) {
    return []
  }
  print(`Writes are refused, and stay so. To accept them: ${command(options, 'off')}`)
  return ['--var=READ_ONLY:true']
}

function command({ env, engine }: DeployOptions, state: 'on' | 'off'): string {
  const database = engine === 'd1' ? '' : ` --database ${engine}`
  return `npm run deploy -- --env ${env}${database} --read-only ${state}`
}
