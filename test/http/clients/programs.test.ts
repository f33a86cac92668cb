import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuthorizationServer } from '../../../scripts/start/authorization-server.ts'
import { stops, transaction } from '../../../scripts/tour/stops.ts'
import { endpointName, endpointsOf } from '../../../src/jsonapi/declare/registry.ts'
import { registry } from '../../../src/resources/index.ts'
import { startAuthorizedService } from '../../support/authorized-service.ts'
import type { BackDoor } from '../../support/service.ts'
import { expectToRun, ports } from './run-program.ts'

const program = join(import.meta.dirname, '../../../clients/programs/fetch.ts')
const script = join(import.meta.dirname, '../../../scripts/start/tour.ts')
const operations = [...endpointsOf(registry).map(endpointName), transaction]
const count = operations.length

let authorization: AuthorizationServer
let service: BackDoor
beforeAll(async () => {
  ;({ authorization, service } = await startAuthorizedService())
})
afterAll(() => authorization.close())

it('The program for authors of clients that needs no package signs in, reads, pages, creates once, edits what somebody else edits, too, and understands an error', async () => {
  await expectToRun(program, { origin: service.origin, issuer: authorization.issuer }, ports)
  expect(await service.query("SELECT 1 FROM users WHERE full_name LIKE 'Tove %'")).toEqual([])
})

/** Runs the tour, as npm would. */
function tour() {
  const addresses = { origin: service.origin, issuer: authorization.issuer }
  const env = { ...process.env, ...ports(addresses) }
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [script], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

/** Everything that the service has stored. */
function everything() {
  const tables = ['users', 'user_citizenships', 'user_relatives', 'counters']
  return service.batch(tables.map((table) => [`SELECT * FROM ${table}`]))
}

it('npm run tour shows each operation, and leaves the data as they were', async () => {
  const unshown = operations.filter((name) => !stops.some((stop) => stop.name === name))
  expect(unshown, 'Each new operation needs a stop in scripts/tour/stops.ts').toEqual([])
  const before = await everything()
  const { code, stdout, stderr } = await tour()

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`\\n${count} of ${count} operations answer as promised\\.\\n$`))
  const shown = stops.length
  expect(stdout.match(new RegExp(`^── \\d+/${shown}`, 'gm'))).toHaveLength(shown)
  expect(stdout.match(/^(GET|POST|PATCH|DELETE) \/jsonapi\//gm)).toHaveLength(shown)
  expect(stdout.match(/^(200 OK|201 Created|204 No Content)$/gm)).toHaveLength(shown - 1)
  expect(stdout.match(/^412 Precondition Failed$/gm)).toHaveLength(1)
  expect(stdout.match(/^Idempotency-Replayed: true$/gm)).toHaveLength(1)
  expect(await everything()).toEqual(before)
})
