import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuthorizationServer } from '../../../scripts/start/authorization-server.ts'
import { startAuthorizedService } from '../../support/authorized-service.ts'
import type { BackDoor } from '../../support/service.ts'
import { expectToRun, ports } from './run-program.ts'

const program = join(import.meta.dirname, '../../../clients/programs/fetch.ts')

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
