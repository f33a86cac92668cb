import { complaint } from '../lib/complaint.ts'
import type { Commit } from './commit.ts'
import type { Deploying } from './tools.ts'

/** How a version is released. */
interface How {
  /** The commit that is deployed; undefined where there is no repository. */
  readonly commit: Commit | undefined
  /** Is it given all traffic before anybody has read from it? */
  readonly atOnce?: boolean
  /** More arguments of wrangler for its upload. */
  readonly args: readonly string[]
}

/**
 * Uploads a version, under the commit as tag and message, reads from it while it has no traffic, and gives it all traffic. Before the
 * first deployment there is nothing that could have the traffic meanwhile: then it is deployed at once.
 *
 * @throws a complaint when the version does not answer as it should
 */
export async function release(
  { options, settings, live, where, wrangler, smoke, print }: Deploying,
  { commit, atOnce = false, args }: How,
): Promise<void> {
  const { upload, secretsFile } = options
  // With equals signs: a value that begins with dashes would be taken for another option.
  const named = [
    ...(commit === undefined ? [] : [`--tag=${commit.tag}`, `--message=${commit.message}`]),
    ...(secretsFile === undefined ? [] : [`--secrets-file=${secretsFile}`]),
    ...args,
  ]
  if (live === undefined) {
    const output = await wrangler('deploy', ...where, ...named)
    print(output)
    await demandAnswers(output, undefined, 'It is deployed all the same.')
    return
  }

  const before = live.versions[0]?.id
  const uploaded = await wrangler('versions', 'upload', ...where, ...named)
  print(uploaded)
  const [, id] = /Worker Version ID: ([0-9a-f-]{36})/.exec(uploaded) ?? []
  if (id === undefined) {
    throw complaint('The version is uploaded, but wrangler does not say which one it is.')
  }
  if (!atOnce) {
    await wrangler('versions', 'deploy', `${id}@0`, `${before}@100`, ...where, '--yes')
    const triggers = await wrangler('triggers', 'deploy', ...where)
    print(triggers)
    await demandAnswers(triggers, id, `The version ${id} gets no traffic. Migrations stay.`)
  }
  if (upload) {
    const give = `npx wrangler versions deploy ${id}@10 … ${where.join(' ')}`
    print(`It has no traffic yet. To give it some: ${give}`)
    return
  }
  await wrangler('versions', 'deploy', `${id}@100`, ...where, '--yes')
  print(`It has all traffic. To roll back: npx wrangler rollback ${before} ${where.join(' ')}`)

  /** Reads from the address of the settings, or from that which wrangler has printed. */
  async function demandAnswers(output: string, version: string | undefined, otherwise: string) {
    const address = settings.address ?? /https:\/\/\S+\.workers\.dev/.exec(output)?.[0]
    if (address === undefined) {
      throw complaint(`wrangler does not say where the Worker is. ${otherwise}`)
    }
    // Where the token for the test cannot be had, nobody knows whether the version answers: that is a fault, too.
    const faults = await smoke(address, version).catch(({ message }: Error) => [message])
    demandNone(faults, address, otherwise)
    print(`Smoke test: ${address} answers as it should.`)
  }
}

/**
 * @param otherwise what has become of the version
 * @throws a complaint where a deployed service has faults
 */
export function demandNone(faults: readonly string[], address: string, otherwise: string): void {
  if (faults.length > 0) {
    const story = [`${address} does not answer as it should:`, ...faults].join('\n  ')
    throw complaint(`${story}\n${otherwise}`)
  }
}
