import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { demandConsent } from '../../../../scripts/lib/consent.ts'
import { readRing, writeRings } from '../../../../scripts/lib/secrets.ts'
import { parseKeyRing } from '../../../../src/lib/key-ring.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

it('The files for a new key add it, make it current, and drop the others; none is written over', async () => {
  const folder = await temporaryFolder()
  const first = join(folder, 'secrets.json')
  const files = [...(await writeRings(first, 'k1')), ...(await writeRings(first, 'k2'))]
  const rings = await Promise.all(files.map(async (file) => parseKeyRing(await readRing(file))))
  expect(rings.map(({ current, keys }) => [current, ...keys.keys()])).toEqual([
    ['k1', 'k1'],
    ['k1', 'k1', 'k2'],
    ['k2', 'k1', 'k2'],
    ['k2', 'k2'],
  ])
  const old = rings[0]?.keys.get('k1')
  expect(rings.map(({ keys }) => keys.get('k1'))).toEqual([old, old, old, undefined])
  for (const file of files) {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  }
  await expect(writeRings(first, 'k2')).rejects.toThrow('secrets-1-add.json is there already')
  await expect(writeRings(first, 'k1')).rejects.toThrow('has a key k1 already')
  await expect(writeRings(first, 'k 3')).rejects.toThrow('k 3')
  await expect(readRing(join(folder, 'none'))).rejects.toThrow(
    /none cannot be read\. --secrets-file/,
  )
})

it('What cannot be undone wants --yes where there is no terminal, and at Cloudflare', async () => {
  const ask = (yes: boolean) => demandConsent('Everybody is deleted.', { yes, mayAsk: true })
  await expect(ask(true)).resolves.toBeUndefined()
  await expect(ask(false)).rejects.toThrow(/^Everybody is deleted\..*--yes/)
})
