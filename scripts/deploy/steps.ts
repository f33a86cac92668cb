import { complaint } from '../lib/complaint.ts'
import { readRing } from '../lib/secrets.ts'
import { brake, keptBrake } from './brake.ts'
import { migrateD1 } from './d1.ts'
import { currentDeployment, versionOnOther, withTraffic } from './live.ts'
import { type DeployOptions, workerOf } from './options.ts'
import { migratePostgres, originOf } from './postgres.ts'
import { release } from './release.ts'
import { demandSettings, faultsOf, type Settings } from './settings.ts'
import type { Deploying, Tools } from './tools.ts'

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
  const { env, engine, dryRun, readOnly, secretsFile } = options
  const { wrangler, print } = tools
  const where = workerOf(options)
  if (readOnly !== undefined) {
    return brake(await begun(options, settings, tools))
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

  if (secretsFile !== undefined) {
    await readRing(secretsFile)
  }
  const deploying = await begun(options, settings, tools)
  if (withTraffic(deploying.live).length > 1) {
    throw complaint('A gradual roll-out is under way: give one version all traffic first.')
  }
  if (url === undefined) {
    await migrateD1(deploying)
  } else {
    const [id = ''] = Object.values(settings.ids)
    await migratePostgres(tools, url, await originOf(wrangler, id, where))
  }
  const args = keptBrake(deploying)
  await release(deploying, { commit: await tools.commit(), args })
}

/** @throws a complaint where the version that is live uses another database, and nobody has said that this is meant */
async function begun(options: DeployOptions, settings: Settings, tools: Tools): Promise<Deploying> {
  const { engine, otherDatabase } = options
  const where = workerOf(options)
  const live = await currentDeployment(tools.wrangler, where)
  const other = versionOnOther(live, engine)
  if (other && !otherDatabase) {
    throw complaint(
      `The version that is live uses ${other.engine ?? 'no database'}, and this one ${engine}. Is --database right? To put one in the place of the other, say --other-database.`,
    )
  }
  return { ...tools, options, settings, where, live }
}
