import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuthorizationServer } from '../../../../scripts/start/authorization-server.ts'
import { stops, transaction } from '../../../../scripts/tour/stops.ts'
import { endpointName, endpointsOf } from '../../../../src/jsonapi/declare/registry.ts'
import { registry } from '../../../../src/resources/index.ts'
import { startAuthorizedService } from '../../../support/authorized-service.ts'
import type { BackDoor } from '../../../support/service.ts'

const operations = [...endpointsOf(registry).map(endpointName), transaction]
const count = operations.length

let authorization: AuthorizationServer
let service: BackDoor
beforeAll(async () => {
  ;({ authorization, service } = await startAuthorizedService())
})
afterAll(() => authorization.close())

/** Runs the tour of what answers at an origin, as npm would. */
function tour(origin: string) {
  const [PORT, AUTH_PORT] = [origin, authorization.issuer].map((url) => new URL(url).port)
  const env = { ...process.env, PORT, AUTH_PORT }
  const script = join(import.meta.dirname, '..', '..', '..', '..', 'scripts', 'start', 'tour.ts')
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
  const { code, stdout, stderr } = await tour(service.origin)

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

it('npm run tour fails, and counts, where the operations do not answer as they should', async () => {
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { code, stdout } = await tour(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  server.close()

  expect(code).toBe(1)
  expect(stdout).toMatch(new RegExp(`\\n0 of ${count} operations answer as promised\\.\\n$`))
})
