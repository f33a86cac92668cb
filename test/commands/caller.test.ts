import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCallerName } from '../../src/http/callers.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { makeCheckout, runCommands } from '../support/checkout.ts'

const keys = { k1: 'A'.repeat(43), k2: `B${'A'.repeat(42)}` }
const ringOf = (current: keyof typeof keys) => JSON.stringify({ current, keys })
const issuer = 'https://id.example.com/'

let folder: string
beforeAll(async () => {
  folder = await makeCheckout()
  await writeFile(join(folder, 'secrets.json'), JSON.stringify({ CARD_KEYS: ringOf('k2') }))
  await writeFile(join(folder, '.dev.vars'), `CARD_KEYS='${ringOf('k1')}'\n`)
  const config = join(folder, 'wrangler.toml')
  const [before, production] = (await readFile(config, 'utf8')).split('[env.production.vars]')
  const filledIn = production?.replace('TOKEN_ISSUER = ""', `TOKEN_ISSUER = "${issuer}"`)
  await writeFile(config, [before, filledIn].join('[env.production.vars]'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The lines about a caller: a name as the Worker makes it while each key is the current one. */
async function linesAbout(kind: 'user' | 'client', id: string, iss: string): Promise<string> {
  const caller = { kind, issuer: iss, id }
  const names = (['k1', 'k2'] as const).map(async (key) => {
    const name = await createCallerName(parseKeyRing(ringOf(key)))({ ...caller })
    return `${name} ${key} ${kind} ${id}\n`
  })
  return (await Promise.all(names)).join('')
}

const wrong: readonly (readonly [args: readonly string[], says: string])[] = [
  [[], 'Whose names?'],
  [['--subject', '1', '--env', 'production'], '--secrets-file'],
  [['--subject', '1', '--env', 'staging', '--secrets-file', 'secrets.json'], 'TOKEN_ISSUER'],
  [['--subject', '1', '--env', 'prod', '--secrets-file', 'secrets.json'], 'staging, production'],
  [['--subject', '1', '--secrets-file', 'package.json'], 'CARD_KEYS is not in package.json'],
]

it('npm run caller prints the names that the log has for persons and machines under each key of the ring, and says in one line what is wrong', async () => {
  const several = ['--subject', '1', '--subject', 'auth0|a "b"', '--client', '1']
  const calls = [
    [...several, '--env', 'production', '--secrets-file', 'secrets.json'],
    // The callers of npm start.
    ['--subject', '1'],
    ...wrong.map(([args]) => args),
  ]
  const file = 'scripts/operate/caller.ts'
  const [named, local, ...refused] = await runCommands(
    folder,
    calls.map((args) => ({ file, args })),
  )
  const lines = [
    await linesAbout('user', '1', issuer),
    await linesAbout('user', 'auth0|a "b"', issuer),
    await linesAbout('client', '1', issuer),
  ]
  expect(named).toEqual({ code: 0, stderr: '', stdout: lines.join('') })
  const stdout = await linesAbout('user', '1', 'http://127.0.0.1:9400')
  expect(local).toEqual({ code: 0, stderr: '', stdout })
  for (const [index, [, says]] of wrong.entries()) {
    expect(refused[index]).toMatchObject({ code: 1, stdout: '' })
    expect(refused[index]?.stderr).toMatch(/^[^\n]+\n$/)
    expect(refused[index]?.stderr).toContain(says)
  }
})
