import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { placeOf } from '../../../../scripts/postgres/server.ts'

/** An account that is not this process'. */
const nobody = { uid: 65_534, gid: 65_534 }
const inCheckout = ['users-countries-currencies', '.wrangler', 'postgres']

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'home-'))
})
afterEach(() => rm(home, { recursive: true }))

it('data stay in their folder, unless the account of the server cannot come to it', async () => {
  const folder = join(home, ...inCheckout)
  expect(await placeOf(folder, undefined)).toBe(folder)
  expect(await placeOf(folder, nobody)).toMatch(/^\/var\/tmp\/postgres-\w+$/)
  // Everybody may go there, which nobody knows of the temporary folder.
  expect(await placeOf('/', nobody)).toBe('/')
})

it('two checkouts whose folders have the same name have places of their own', async () => {
  const [one, other, again] = await Promise.all(
    ['one', 'other', 'one'].map((name) => placeOf(join(home, name, ...inCheckout), nobody)),
  )
  expect(other).not.toBe(one)
  expect(again).toBe(one)
})
