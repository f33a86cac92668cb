import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { complaint } from './complaint.ts'

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

/** Reads secrets as JSON. What is wrong with them is not repeated: the parser's words quote them. */
function parseJson(text: string, file: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw complaint(`The file of secrets is not valid JSON: ${file}`)
  }
}
