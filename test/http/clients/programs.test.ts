import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { faultOfProgram } from '../../../scripts/clients/run-program.ts'
import type { AuthorizationServer } from '../../../scripts/start/authorization-server.ts'
import { startAuthorizedService } from '../../support/authorized-service.ts'
import type { BackDoor } from '../../support/service.ts'

const programs = join(import.meta.dirname, '..', '..', '..', 'clients', 'programs')

let authorization: AuthorizationServer
let service: BackDoor
beforeAll(async () => {
  ;({ authorization, service } = await startAuthorizedService())
})
afterAll(() => authorization.close())

const addresses = () => ({
  origin: service.origin,
  rootPath: '/jsonapi',
  issuer: authorization.issuer,
})

it('The program for authors of clients that needs no package signs in, reads, pages, creates once, edits what somebody else edits, too, and understands an error', async () => {
  expect(await faultOfProgram(join(programs, 'fetch.ts'), addresses())).toBeUndefined()
  expect(await service.query("SELECT 1 FROM users WHERE full_name LIKE 'Tove %'")).toEqual([])
})

it('A program that does something else than the programs for authors of clients is told apart from them', async () => {
  const other = join(import.meta.dirname, 'another-program.ts')
  const fault = await faultOfProgram(other, addresses())
  expect(fault).toContain('It prints\nNothing.\nnot\n53 countries')
  expect(fault).toContain('Its trouble is\n\nnot\n')
  expect(fault).toContain('It ends with\n1\nError: Enough.')
})
