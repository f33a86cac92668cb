import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { complaint } from './complaint.ts'
import { makePrivateFile } from './private-file.ts'

/**
 * Reads secrets from a file: JSON, or lines `NAME=value`.
 *
 * @throws a complaint when the file cannot be read, or has no ring of card keys of any use
 */
async function readSecrets(file: string) {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw complaint(
      `The file of secrets ${file} cannot be read. --secrets-file names another one; npm start makes .dev.vars, that of this machine.`,
      error,
    )
  })
  let secrets: Readonly<Record<string, unknown>>
  try {
    secrets = text.trimStart().startsWith('{') ? JSON.parse(text) : parseEnv(text)
  } catch {
    // The parser's words quote secrets.
    throw complaint(`The file of secrets is not valid JSON: ${file}`)
  }
  const { CARD_KEYS } = secrets
  if (typeof CARD_KEYS !== 'string') {
    throw complaint(
      `${file} must have the secret CARD_KEYS, a text that holds JSON: npm run reseal -- --help says which command makes such a file.`,
    )
  }
  try {
    parseKeyRing(CARD_KEYS)
  } catch (error) {
    throw complaint(`In ${file}: ${(error as Error).message}.`, error)
  }
  return { ...secrets, CARD_KEYS }
}

/**
 * The key ring of card numbers, in a file of secrets.
 *
 * @throws a complaint when the file cannot be read, or has no ring of any use
 */
export async function readRing(file: string): Promise<string> {
  return (await readSecrets(file)).CARD_KEYS
}

/** A key ring with one key, 32 random bytes for AES-256-GCM. */
export function newRing(id: string): string {
  return JSON.stringify({ current: id, keys: { [id]: randomBytes(32).toString('base64url') } })
}

/**
 * Makes the files of secrets for the steps by which a new key replaces those of a ring: one adds it, one makes it current, one drops all
 * others. Where there is no file of secrets yet, makes that one, with a ring of the new key alone.
 *
 * @param file of secrets, with the present ring
 * @param id of the new key
 * @returns the names of the files
 * @throws a complaint when a file is there already, and when the ring has a key of that name
 */
export async function writeRings(file: string, id: string): Promise<readonly string[]> {
  if (!/^[\w-]{1,32}$/.test(id)) {
    throw complaint(`--new-key must be a short name like k2, not "${id}".`)
  }
  const drop = newRing(id)
  const name = file.replace(/\.json$/, '')
  const secrets = existsSync(file) ? await readSecrets(file) : undefined
  let rings: Record<string, string | undefined> = { [file]: drop }
  if (secrets !== undefined) {
    const { current, keys } = JSON.parse(secrets.CARD_KEYS)
    if (Object.hasOwn(keys, id)) {
      throw complaint(`The ring in ${file} has a key ${id} already: choose another name.`)
    }
    const all = { ...keys, ...JSON.parse(drop).keys }
    const [add, use] = [current, id].map((each) => JSON.stringify({ current: each, keys: all }))
    rings = {
      [`${name}-1-add.json`]: add,
      [`${name}-2-use.json`]: use,
      [`${name}-3-drop.json`]: drop,
    }
  }
  for (const [path, CARD_KEYS] of Object.entries(rings)) {
    await makePrivateFile(path, JSON.stringify({ ...secrets, CARD_KEYS }))
  }
  return Object.keys(rings)
}
