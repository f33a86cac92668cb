import { complaint } from '../lib/complaint.ts'
import { budgetWarning, bundleBudget, kilobytes, measureBundle } from './bundle.ts'
import { type DatabaseTools, demandSameMigrations, migrate } from './database.ts'
import { demandSameEngine, liveVersion } from './live.ts'
import { type DeployOptions, workerOf } from './options.ts'
import { demandNoCache, migratePostgres, type Origin } from './postgres.ts'
import { type ReleaseTools, release } from './release.ts'
import { demandSecrets } from './secrets.ts'
import { faultsOf, type Settings } from './settings.ts'

/** What a deployment works with. */
export interface Tools extends DatabaseTools, ReleaseTools {
  /** Runs every check and test of the project. Rejects when one fails. */
  readonly test: () => Promise<void>
  /** The address of the database of PostgreSQL, for the owner of its tables. Throws a complaint where none was told. */
  readonly postgresUrl: () => string
}

/**
 * Deploys an environment, or does every part of a deployment that needs no account. Steps that can refuse come before
 * steps that cannot be undone, and quick ones before slow ones. Migrations come before the code that needs them.
 *
 * @throws a complaint in one line for whatever is missing or wrong
 */
export async function deploy(
  options: DeployOptions,
  settings: Settings,
  tools: Tools,
): Promise<void> {
  const { env, engine, dryRun, tested, codeOnly } = options
  const { wrangler, ask, test, print } = tools
  const where = workerOf(options)

  const { missing, wrong } = faultsOf(settings)
  if (wrong.length > 0 || (missing.length > 0 && !dryRun)) {
    throw complaint([`${env} cannot be deployed.`, ...wrong, ...missing].join('\n  '))
  }
  const url = engine === 'postgres' && !dryRun && !codeOnly ? tools.postgresUrl() : undefined
  const bundle = await measureBundle(wrangler, where)
  print(`Bundle: ${kilobytes(bundle.bytes)} compressed, of a budget of ${kilobytes(bundleBudget)}`)
  print(`Startup: ${bundle.startup} on this machine's processor, of 1 s at Cloudflare`)
  const warning = budgetWarning(bundle)
  if (warning !== undefined) {
    print(warning)
  }
  const rest = missing.length > 0 ? ['Still to be filled in:', ...missing] : ['Nothing is missing.']
  if (dryRun) {
    print([`Dry run of ${env}: it builds and starts. ${rest[0]}`, ...rest.slice(1)].join('\n  '))
    return
  }

  await ask('whoami', '--json')
  await demandSecrets(wrangler, options, settings.secrets, where)
  const live = await liveVersion(wrangler, where)
  if (!options.otherDatabase) {
    demandSameEngine(live, engine)
  }
  let origin: Origin = {}
  for (const id of Object.values(settings.hyperdrives)) {
    origin = await demandNoCache(tools, id, where)
  }
  if (codeOnly) {
    await demandSameMigrations(tools, live, migrationsOf[engine], where)
  }
  if (!tested) {
    await test()
  }
  if (url !== undefined) {
    await migratePostgres(tools, url, origin, where)
  } else if (!codeOnly) {
    await migrate(tools, where)
  }
  await release(options, settings, live, where, tools)
}

/** The folders of the migrations, in the project. */
const migrationsOf = { d1: 'migrations', postgres: 'migrations/postgres' } as const
