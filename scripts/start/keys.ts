import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { complaint } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { readOrMake } from '../lib/private-file.ts'
import { newRing } from '../lib/secrets.ts'

/** A new private key for ES256, as a JWK with its thumbprint for an id (RFC 7638). */
export async function createSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  return { ...jwk, alg: 'ES256', use: 'sig', kid: await calculateJwkThumbprint(jwk) }
}

/** The signing key kept in `file`, made on first use, so that tokens outlive a restart. */
export async function signingKey(file: string): Promise<JWK> {
  return JSON.parse(await readOrMake(file, async () => JSON.stringify(await createSigningKey())))
}

/**
 * The key ring that card numbers are encrypted with: `CARD_KEYS` of the given `.dev.vars`, where
 * `wrangler dev` reads it too. Made on first use: one key of 32 random bytes, for AES-256-GCM.
 *
 * @param state the folder of the local state, which remembers that there was a ring
 * @throws a complaint where there was a ring, and is none any more
 */
export async function cardKeys(file: string, state: string = paths.state): Promise<string> {
  const secrets = existsSync(file) ? await readFile(file, 'utf8') : ''
  const kept = parseEnv(secrets).CARD_KEYS
  const mark = join(state, 'dev', `${basename(file)}.used`)
  if (!kept && existsSync(mark)) {
    throw complaint(
      `${basename(file)} has no CARD_KEYS any more, and the local database may hold card numbers under them: put the old ones back, or run npm run reset.`,
    )
  }
  await mkdir(dirname(mark), { recursive: true })
  await writeFile(mark, '')
  if (kept) {
    return kept
  }
  const ring = newRing('k1')
  const separator = secrets === '' || secrets.endsWith('\n') ? '' : '\n'
  await appendFile(file, `${separator}CARD_KEYS='${ring}'\n`, { mode: 0o600 })
  // A file that was there keeps its mode otherwise.
  await chmod(file, 0o600)
  return ring
}
