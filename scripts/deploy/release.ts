import { complaint } from '../lib/complaint.ts'
import type { Wrangler } from '../lib/wrangler.ts'
import type { Commit } from './commit.ts'
import type { LiveVersion } from './live.ts'
import type { DeployOptions } from './options.ts'
import type { Settings } from './settings.ts'

/** What a version is released with. */
export interface ReleaseTools {
  readonly wrangler: Wrangler
  /** The commit that is deployed; undefined where nobody can tell. */
  readonly commit: () => Promise<Commit | undefined>
  /** Reads from a deployed service, from one version of it if told. Gives a sentence for each fault. */
  readonly smoke: (address: string, version: string | undefined) => Promise<readonly string[]>
  /** Asks whoever sits at the terminal; where nobody does, the answer is no. */
  readonly confirm: (question: string) => Promise<boolean>
  readonly print: (line: string) => void
}

/**
 * Deploys, or uploads a version without traffic, under the commit as tag and message. What was deployed to everybody is
 * read from afterwards; when it does not answer as it should, the version from before is offered.
 *
 * @param live the version that is live before, if one is
 * @param where arguments of wrangler that tell which Worker
 * @throws a complaint when the deployed service does not answer as it should
 */
export async function release(
  { engine, upload, secretsFile, rollBack }: DeployOptions,
  settings: Settings,
  live: LiveVersion | undefined,
  where: readonly string[],
  { wrangler, commit, smoke, confirm, print }: ReleaseTools,
): Promise<void> {
  const { tag, message } = (await commit()) ?? {}
  // With equals signs: a value that begins with dashes would be taken for another option.
  const named = [
    ...(tag === undefined ? [] : [`--tag=${tag}`]),
    ...(message === undefined ? [] : [`--message=${message}`]),
    ...(secretsFile === undefined ? [] : [`--secrets-file=${secretsFile}`]),
  ]
  if (upload) {
    print(await wrangler('versions', 'upload', ...where, ...named))
    return
  }
  const output = await wrangler('deploy', ...where, ...named)
  print(output)

  const address = settings.address ?? /https:\/\/\S+\.workers\.dev/.exec(output)?.[0]
  if (address === undefined) {
    throw complaint('It is deployed, but wrangler does not say where: nothing was read from it.')
  }
  const [, id] = /Current Version ID: ([0-9a-f-]{36})/.exec(output) ?? []
  // Where the token for the test cannot be had, nobody knows whether the version answers: that is a fault, too.
  const faults = await smoke(address, id).catch(({ message }: Error) => [message])
  if (faults.length === 0) {
    print(`Smoke test: ${address} answers as it should.`)
    return
  }
  const story = [`${address} does not answer as it should:`, ...faults].join('\n  ')
  if (live === undefined) {
    throw complaint(`${story}\nThere is no version from before to roll back to.`)
  }
  print(story)
  const { id: before, engine: engineBefore = engine } = live
  if (!(rollBack || (await confirm(`Roll back to ${before}?`)))) {
    throw complaint(
      `The version stays. To roll back: npx wrangler rollback ${before} ${where.join(' ')}`,
    )
  }
  const reason = ['--message=The smoke test failed', '--yes']
  print(await wrangler('rollback', before, ...where, ...reason))
  throw complaint(
    engineBefore === engine
      ? `Rolled back to ${before}. Migrations stay: older code runs on the newer tables.`
      : `Rolled back to ${before}, which uses ${engineBefore}: it has nothing that ${engine} was told meanwhile.`,
  )
}
