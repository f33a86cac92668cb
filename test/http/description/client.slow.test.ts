import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { installed } from '../../../scripts/lib/install.ts'
import { uniquePerson } from '../../support/service.ts'

const folder = join(import.meta.dirname, 'client')
const run = promisify(execFile)

/** Runs a command of a package of the client, in its folder. */
function command(file: string, ...args: readonly string[]) {
  return run(process.execPath, [join(folder, 'node_modules', file), ...args], { cwd: folder })
}

describe('A client generated from the description by openapi-typescript and openapi-fetch (contract, section 19)', () => {
  beforeAll(async () => {
    await installed(folder)
    const url = `${inject('serviceUrl')}/jsonapi/oas`
    await command('openapi-typescript/bin/cli.js', url, '--output', 'schema.d.ts')
  }, 120_000)

  it('compiles, and the compiler refuses what the service would refuse', async () => {
    await expect(command('typescript/bin/tsc', '--project', '.')).resolves.toBeDefined()
  }, 60_000)

  it('creates a user, reads pages and changes a relationship', async () => {
    // The name is computed, since the compiler of the other tests has no generated types to check the module with.
    const { visit } = await import(join(folder, 'visit.ts'))
    const { token } = await uniquePerson('users.read users.citizenships.read users.write')
    const email = `${crypto.randomUUID()}@example.com`
    const visited = await visit(`${inject('serviceUrl')}/jsonapi`, token, {
      fullName: 'Typed Client',
      email,
    })

    expect(visited).toMatchObject({
      fullName: 'Typed Client',
      location: `/jsonapi/users/${visited.id}`,
      citizenships: ['NO', 'SE'],
      refusal: 'CONFLICT',
    })
    expect(visited.pages.length).toBeGreaterThan(2)
    expect(visited.pages[0]).toBe(20)
    expect(visited.symbols).toContain('€')
  })
})
