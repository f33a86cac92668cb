import { complaint } from '../lib/complaint.ts'
import { readSecrets } from '../lib/secrets.ts'
import type { Wrangler } from '../lib/wrangler.ts'
import type { DeployOptions } from './options.ts'

/**
 * Are the secrets in the file that is sent along, or at Cloudflare already?
 *
 * @param where arguments of wrangler that name the Worker
 * @throws a complaint that names the first secret that is missing or useless
 */
export async function demandSecrets(
  wrangler: Wrangler,
  { env, secretsFile }: Pick<DeployOptions, 'env' | 'secretsFile'>,
  needed: readonly string[],
  where: readonly string[],
): Promise<void> {
  const present =
    secretsFile === undefined
      ? await storedSecrets(wrangler, env, where)
      : Object.keys(await readSecrets(secretsFile))
  const missing = needed.find((name) => !present.includes(name))
  if (missing !== undefined) {
    throw complaint(
      secretsFile === undefined
        ? `The secret ${missing} is not set: npx wrangler secret put ${missing} ${where.join(' ')}`
        : `The secret ${missing} is not in ${secretsFile}.`,
    )
  }
}

async function storedSecrets(wrangler: Wrangler, env: string, where: readonly string[]) {
  const answer = await wrangler('secret', 'list', ...where, '--format', 'json').catch((error) => {
    const hint = 'On a first deployment, bring them: --secrets-file FILE'
    throw complaint(`The secrets of ${env} cannot be listed. ${hint}\n${error.message}`, error)
  })
  return (JSON.parse(answer) as { readonly name: string }[]).map(({ name }) => name)
}
