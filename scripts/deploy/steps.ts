import { complaint } from '../lib/complaint.ts'
import { readRing } from '../lib/secrets.ts'
import { type BrakeTools, brake, keptBrake } from './brake.ts'
import { migrateD1 } from './d1.ts'
import { currentDeployment, type Deployment, versionOnOther, withTraffic } from './live.ts'
import { type DeployOptions, workerOf } from './options.ts'
import { migratePostgres, originOf } from './postgres.ts'
import { release } from './release.ts'
import { demandSettings, faultsOf, type Settings } from './settings.ts'

/** What a deployment works with. */
export interface Tools extends BrakeTools {
  /** The address of the database of PostgreSQL, for the owner of its tables. Throws a complaint where none is given. */
  readonly postgresUrl: () => string
}

/**
 * Deploys an environment, or does what of that needs no account. Steps that can refuse come before those that cannot be undone.
 * Migrations come before the code that needs them.
 *
 * @throws a complaint for whatever is missing or wrong
 */
export async function deploy(
  options: DeployOptions,
  settings: Settings,
  tools: Tools,
): Promise<void> {
  const { env, engine, dryRun } = options
  const { wrangler, print } = tools
  const where = workerOf(options)

  if (options.readOnly !== undefined) {
    const live = await currentDeployment(wrangler, where)
    demandSameEngine(live, options)
    return brake(options, live, tools)
  }
  demandSettings(settings, env, dryRun)
  const url = engine === 'postgres' && !dryRun ? tools.postgresUrl() : undefined
  const build = await wrangler('deploy', '--dry-run', ...where)
  print(/Total Upload: .*/.exec(build)?.[0] ?? build)
  if (dryRun) {
    const { missing } = faultsOf(settings)
    const rest =
      missing.length > 0 ? ['Still to be filled in:', ...missing] : ['Nothing is missing.']
    print([`Dry run of ${env}: it builds.`, ...rest].join('\n  '))
    return
  }

  if (options.secretsFile !== undefined) {
    await readRing(options.secretsFile)
  }
  const live = await currentDeployment(wrangler, where)
  demandSameEngine(live, options)
  if (withTraffic(live).length > 1) {
    throw complaint('A gradual roll-out is under way: give one version all traffic first.')
  }
  if (url === undefined) {
    await migrateD1(tools, where)
  } else {
    const [id = ''] = Object.values(settings.hyperdrives)
    await migratePostgres(tools, url, await originOf(wrangler, id, where))
  }
  const args = keptBrake(options, live, settings, print)
  await release({ ...options, args }, settings, live, where, tools)
}

/** @throws a complaint where the version that is live uses another database, and nobody has said that this is meant */
function demandSameEngine(
  live: Deployment | undefined,
  { engine, otherDatabase }: DeployOptions,
): void {
  const other = versionOnOther(live, engine)
  if (other && !otherDatabase) {
    throw complaint(
      `The version that is live uses ${other.engine ?? 'no database'}, and this one ${engine}. Is --database right? To put one in the place of the other, say --other-database.`,
    )
  }
}
