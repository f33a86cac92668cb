import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { beforeEach, expect, it } from 'vitest'
import { cardKeys, signingKey } from '../../../../scripts/start/keys.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})

it('the key ring for card numbers is read by nobody else, even in a file that was there, and leaves other secrets as they are', async () => {
  const file = join(folder, '.dev.vars')
  await writeFile(file, 'OTHER=secret', { mode: 0o644 })
  const ring = await cardKeys(file, folder)
  await appendFile(file, 'LAST=one')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const secrets = { OTHER: 'secret', CARD_KEYS: ring, LAST: 'one' }
  expect(parseEnv(await readFile(file, 'utf8'))).toEqual(secrets)
})

it('the key ring is not made anew where one was used: what is encrypted could not be read', async () => {
  const file = join(folder, '.dev.vars')
  await cardKeys(file, folder)
  await rm(file)
  await expect(cardKeys(file, folder)).rejects.toThrow(
    /^\.dev\.vars has no CARD_KEYS.*npm run reset/,
  )
})

it('the key that tokens are signed with is made once, so that tokens outlive a restart', async () => {
  const file = join(folder, 'dev', 'signing-key.json')
  const key = await signingKey(file)

  expect(key).toMatchObject({ alg: 'ES256', crv: 'P-256', kid: expect.any(String) })
  expect(await signingKey(file)).toEqual(key)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})
