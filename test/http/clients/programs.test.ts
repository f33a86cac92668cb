import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startAuthorizedService } from '../../support/authorized-service.ts'
import { expectToRun, ports } from './run-program.ts'

const program = join(import.meta.dirname, '../../../clients/programs/fetch.ts')

const service = await startAuthorizedService()

it('The program for authors of clients that needs no package signs in, reads, pages, creates once, edits what somebody else edits, too, and understands an error', async () => {
  await expectToRun(program, service, ports)
  expect(await service.query("SELECT 1 FROM users WHERE full_name LIKE 'Tove %'")).toEqual([])
})
