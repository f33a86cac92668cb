import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { languages, requestOf } from '../../../../public/docs/samples.js'
import { description, operations } from '../openapi.ts'
import { contentOf } from '../read-description.ts'
import { lasting } from './documented.ts'
import { openStage, ownerOfUnchanged, type Stage } from './record.ts'

const run = promisify(execFile)

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
}, 120_000)

describe('The code samples of the docs page (contract, section 19)', () => {
  it.each(operations)(
    '$operationId: its sample in JavaScript prints the documented answer',
    async ({ path, method, responses }) => {
      const server = `${stage.usual.origin}/jsonapi`
      const request = requestOf(description, server, path, method.toLowerCase())
      const sample = languages.javascript.write(request)
      const TOKEN = await ownerOfUnchanged(stage.usual)
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', sample], {
        env: { ...process.env, TOKEN },
      })
      const [status, documented] =
        Object.entries(responses).find(([one]) => Number(one) < 300) ?? []
      const [, printed, body = ''] = /^(\d+) (.*)\n$/s.exec(stdout) ?? []

      expect(printed).toBe(status)
      if (documented?.content) {
        expect(lasting(JSON.parse(body))).toEqual(lasting(contentOf(documented.content).example))
      } else {
        expect(body).toBe('')
      }
    },
  )
})
