import { isTrue } from '../../src/lib/variables.ts'
import { complaint } from '../lib/complaint.ts'
import { type Deployment, withTraffic } from './live.ts'
import { type DeployOptions, workerOf } from './options.ts'
import { demandAnswers, type ReleaseTools, uploadVersion } from './release.ts'
import { demandSettings, type Settings } from './settings.ts'

/** What the brake works with. */
export interface BrakeTools extends ReleaseTools {
  /** Does something with the files of a commit, by its tag, and its settings; with the settings of this folder where it cannot be had. */
  readonly inCommit: (
    tag: string | undefined,
    work: (folder: string | undefined, settings: Settings) => Promise<void>,
  ) => Promise<void>
}

/**
 * Refuses writes, or accepts them again: uploads the commit that is live with `READ_ONLY` alone changed, and gives it all traffic at
 * once. Where this repository does not have that commit, this folder takes its place.
 *
 * @param live the current deployment
 * @throws a complaint where nothing is deployed, and where settings are missing or wrong
 */
export async function brake(
  options: DeployOptions,
  live: Deployment | undefined,
  tools: BrakeTools,
): Promise<void> {
  const { env, readOnly = false } = options
  const { wrangler, print, inCommit } = tools
  const where = workerOf(options)
  const [version] = live?.versions ?? []
  if (version === undefined) {
    throw complaint('Nothing is deployed yet.')
  }
  await inCommit(version.tag, async (folder, settings) => {
    demandSettings(settings, env)
    const tag = folder === undefined ? (await tools.commit())?.tag : version.tag
    if (folder === undefined) {
      print(
        `This repository does not have ${version.tag ?? 'the commit'} that is live: ${tag ?? 'this folder'} takes its place.`,
      )
    }
    const id = await uploadVersion(tools, [
      ...where,
      ...(folder === undefined ? [] : [`--cwd=${folder}`]),
      `--var=READ_ONLY:${readOnly}`,
      ...(tag === undefined ? [] : [`--tag=${tag}`]),
      `--message=READ_ONLY is ${readOnly}`,
    ])
    await wrangler('versions', 'deploy', `${id}@100`, ...where, '--yes')
    print(
      readOnly
        ? `Writes are refused. Those that are under way end within two minutes. To accept writes again:\n  ${command(options, 'off')}`
        : `Writes are accepted. To refuse them again:\n  ${command(options, 'on')}`,
    )
    if (!readOnly && isTrue(settings.vars.READ_ONLY)) {
      print('But READ_ONLY is true in the configuration: the next deployment refuses them again.')
    }
    if (settings.address !== undefined) {
      const back = `It is deployed all the same. As it was before: npx wrangler rollback ${version.id} ${where.join(' ')}`
      await demandAnswers(settings, '', undefined, back, tools)
    }
  })
}

/** The variable that keeps writes refused in a deployment where the version that is live refuses them. */
export function keptBrake(
  options: DeployOptions,
  live: Deployment | undefined,
  { vars }: Settings,
  { print }: Pick<BrakeTools, 'print'>,
): readonly string[] {
  if (isTrue(vars.READ_ONLY) || !withTraffic(live).some(({ readOnly }) => readOnly)) {
    return []
  }
  print(
    `The version that is live refuses writes, and so does this one. To accept them:\n  ${command(options, 'off')}`,
  )
  return ['--var=READ_ONLY:true']
}

function command({ env, engine }: DeployOptions, state: 'on' | 'off'): string {
  const database = engine === 'd1' ? '' : ` --database ${engine}`
  return `npm run deploy -- --env ${env}${database} --read-only ${state}`
}
