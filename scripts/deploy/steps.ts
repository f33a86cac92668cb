import { complaint } from '../lib/complaint.ts'
import { budgetWarning, bundleBudget, kilobytes, measureBundle } from './bundle.ts'
import type { DeployOptions } from './options.ts'
import { demandSecrets } from './secrets.ts'
import { faultsOf, type Settings } from './settings.ts'

/** Runs a wrangler command; gives what it wrote. Rejects when it fails. */
export type Wrangler = (...args: readonly string[]) => Promise<string>

/** What a deployment works with. */
export interface Tools {
  readonly wrangler: Wrangler
  /** Runs every check and test of the project. Rejects when one fails. */
  readonly test: () => Promise<void>
  readonly print: (line: string) => void
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
  const { env, dryRun, upload, secretsFile } = options
  const { wrangler, test, print } = tools

  const { missing, wrong } = faultsOf(settings)
  if (wrong.length > 0 || (missing.length > 0 && !dryRun)) {
    throw complaint([`${env} cannot be deployed.`, ...wrong, ...missing].join('\n  '))
  }
  const bundle = await measureBundle(wrangler, env)
  print(`Bundle: ${kilobytes(bundle.bytes)} compressed, of a budget of ${kilobytes(bundleBudget)}`)
  print(`Startup: ${bundle.startup} on this machine's processor, of 1 s at Cloudflare`)
  const warning = budgetWarning(bundle)
  if (warning !== undefined) {
    print(warning)
  }
  if (dryRun) {
    const rest =
      missing.length > 0 ? ['Still to be filled in:', ...missing] : ['Nothing is missing.']
    print([`Dry run of ${env}: it builds and starts. ${rest[0]}`, ...rest.slice(1)].join('\n  '))
    return
  }

  await demandAccount(wrangler)
  await demandSecrets(wrangler, options, settings.secrets)
  await test()
  const info = await wrangler('d1', 'time-travel', 'info', 'DB', '--env', env, '--json')
  print(`Before this deployment the database stood at bookmark ${JSON.parse(info).bookmark}`)
  print(await wrangler('d1', 'migrations', 'apply', 'DB', '--env', env, '--remote'))
  const secrets = secretsFile === undefined ? [] : ['--secrets-file', secretsFile]
  const command = upload ? ['versions', 'upload'] : ['deploy']
  print(await wrangler(...command, '--env', env, ...secrets))
}

async function demandAccount(wrangler: Wrangler): Promise<void> {
  await wrangler('whoami', '--json').catch((error) => {
    throw complaint('Nobody is signed in: npx wrangler login, or set CLOUDFLARE_API_TOKEN', error)
  })
}
