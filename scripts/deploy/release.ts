import { complaint } from '../lib/complaint.ts'
import { type DeployOptions, type Environment, wranglerEnv } from './options.ts'
import type { Settings } from './settings.ts'
import type { Tools } from './steps.ts'

/**
 * Deploys, or uploads a version without traffic, under the commit as tag and message. What was deployed to everybody is
 * read from afterwards; when it does not answer as it should, the version from before is offered.
 *
 * @throws a complaint when the deployed service does not answer as it should
 */
export async function release(
  { env, upload, secretsFile, rollBack }: DeployOptions,
  settings: Settings,
  { wrangler, commit, smoke, confirm, print }: Tools,
): Promise<void> {
  const where = ['--env', wranglerEnv(env)]
  const { tag, message } = (await commit()) ?? {}
  const named = [
    ...(tag === undefined ? [] : ['--tag', tag]),
    ...(message === undefined ? [] : ['--message', message]),
    ...(secretsFile === undefined ? [] : ['--secrets-file', secretsFile]),
  ]
  if (upload) {
    print(await wrangler('versions', 'upload', ...where, ...named))
    return
  }
  const before = await liveVersion(wrangler, where)
  const output = await wrangler('deploy', ...where, ...named)
  print(output)
  print(recountAdvice(env))

  const address = settings.address ?? /https:\/\/\S+\.workers\.dev/.exec(output)?.[0]
  if (address === undefined) {
    throw complaint('It is deployed, but wrangler does not say where: nothing was read from it.')
  }
  const [, id] = /Current Version ID: ([0-9a-f-]{36})/.exec(output) ?? []
  const faults = await smoke(address, id)
  if (faults.length === 0) {
    print(`Smoke test: ${address} answers as it should.`)
    return
  }
  const story = [`${address} does not answer as it should:`, ...faults].join('\n  ')
  if (before === undefined) {
    throw complaint(`${story}\nThere is no version from before to roll back to.`)
  }
  print(story)
  if (!(rollBack || (await confirm(`Roll back to ${before}?`)))) {
    throw complaint(
      `The version stays. To roll back: npx wrangler rollback ${before} ${where.join(' ')}`,
    )
  }
  const reason = ['--message', 'The smoke test failed', '--yes']
  print(await wrangler('rollback', before, ...where, ...reason))
  print(recountAdvice(env))
  throw complaint(`Rolled back to ${before}. Migrations stay: older code runs on the newer tables.`)
}

/** What is to be done when one version has all traffic: a version from before migration 0006 counts no users. */
function recountAdvice(env: Environment): string {
  return `Now that one version answers everybody, see that the number of users is right: npm run recount -- --env ${env} --remote`
}

/** The version that has most of the traffic; undefined before the first deployment. */
async function liveVersion(
  wrangler: Tools['wrangler'],
  where: readonly string[],
): Promise<string | undefined> {
  try {
    const status = await wrangler('deployments', 'status', ...where, '--json')
    const { versions }: { versions: { version_id: string; percentage: number }[] } =
      JSON.parse(status)
    return versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id
  } catch {
    return undefined
  }
}
