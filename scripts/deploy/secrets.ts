import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { complaint } from '../lib/complaint.ts'
import type { Wrangler } from '../lib/wrangler.ts'
import type { DeployOptions } from './options.ts'

/**
 * Are the secrets in the file that is sent along, or at Cloudflare already?
 *
 * @param where arguments of wrangler that tell which Worker
 * @throws a complaint that names the first secret that is missing or useless
 */
export async function demandSecrets(
  wrangler: Wrangler,
  { env, secretsFile }: Pick<DeployOptions, 'env' | 'secretsFile'>,
  needed: readonly string[],
  where: readonly string[],
): Promise<void> {
  const names =
    secretsFile === undefined
      ? await storedSecrets(wrangler, env, where)
      : Object.keys(await readSecrets(secretsFile))
  const missing = needed.find((name) => !names.includes(name))
  if (missing !== undefined) {
    throw complaint(
      secretsFile === undefined
        ? `The secret ${missing} is not set: npx wrangler secret put ${missing} ${where.join(' ')}`
        : `The secret ${missing} is not in ${secretsFile}.`,
    )
  }
}

async function storedSecrets(
  wrangler: Wrangler,
  env: string,
  where: readonly string[],
): Promise<readonly string[]> {
  const answer = await wrangler('secret', 'list', ...where, '--format', 'json').catch((error) => {
    const hint = 'On a first deployment, bring them: --secrets-file FILE'
    throw complaint(`The secrets of ${env} cannot be listed. ${hint}\n${error.message}`, error)
  })
  return (JSON.parse(answer) as { readonly name: string }[]).map(({ name }) => name)
}

/**
 * Reads secrets from a file: JSON, or lines `NAME=value`.
 *
 * @throws a complaint when the file cannot be read, or its ring of card keys is of no use
 */
export async function readSecrets(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw complaint(`The file of secrets cannot be read: ${file}`, error)
  })
  const secrets: Record<string, unknown> = text.trimStart().startsWith('{')
    ? parseJson(text, file)
    : parseEnv(text)
  if (typeof secrets.CARD_KEYS === 'string') {
    try {
      parseKeyRing(secrets.CARD_KEYS)
    } catch (error) {
      throw complaint(`CARD_KEYS in ${file}: ${(error as Error).message}.`, error)
    }
  }
  return secrets
}

/**
 * The key ring of card numbers, in a file of secrets.
 *
 * @throws a complaint when the file cannot be read, or has no ring of any use
 */
export async function readRing(file: string): Promise<string> {
  const { CARD_KEYS: ring } = await readSecrets(file)
  if (typeof ring !== 'string') {
    throw complaint(`The secret CARD_KEYS is not in ${file}.`)
  }
  return ring
}

/** Reads secrets as JSON. What is wrong with them is not told: the parser's words quote them. */
function parseJson(text: string, file: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw complaint(`The file of secrets begins like JSON, and is none: ${file}`)
  }
}
