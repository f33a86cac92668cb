import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { oasVersions } from '../../../../src/http/oas.ts'
import type { Example, Examples } from '../../../../src/openapi/components.ts'
import { describeService } from '../../../unit/openapi/service.ts'
import { conformity } from '../conformity.ts'
import { description, operations } from '../openapi.ts'
import { contentOf, type Response } from '../read-description.ts'
import { lasting } from './documented.ts'
import { openStage, recordExamples, type Stage } from './record.ts'

const file = join(import.meta.dirname, '../../../../src/resources/examples.json')

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
}, 120_000)

/** The described examples of everything that is recorded: a document, alone or with its request. */
function described(): Examples {
  const answers: Record<string, unknown> = {}
  const errors: Record<string, Record<string, Example>> = {}
  for (const { operationId, responses } of operations) {
    for (const { content } of Object.values(responses)) {
      const example = content && contentOf(content).example
      if (example !== undefined) {
        answers[operationId] = example
      }
    }
  }
  const shared = description.components.responses as Record<string, Response>
  for (const [name, { content }] of Object.entries(shared)) {
    const { examples } = content ? contentOf(content) : {}
    if (examples) {
      errors[name] = { ...examples }
    }
  }
  return { answers, errors }
}

/** A new recording. Examples that differ only in ids and cursors stay as they were, so that a recording shows what has changed. */
function renewed(fresh: unknown, old: unknown): unknown {
  if (JSON.stringify(lasting(fresh)) === JSON.stringify(old === undefined ? {} : lasting(old))) {
    return old
  }
  return typeof fresh !== 'object' || fresh === null || Array.isArray(fresh) || 'jsonapi' in fresh
    ? fresh
    : Object.fromEntries(
        Object.entries(fresh).map(([name, part]) => [
          name,
          renewed(part, (old as Record<string, unknown> | undefined)?.[name]),
        ]),
      )
}

describe('The examples of the description (contract, section 19)', () => {
  it('are what the service answers: every success and every error, none invented', async () => {
    const fresh = await recordExamples(stage)
    if (process.env.RECORD_EXAMPLES) {
      await writeFile(file, `${JSON.stringify(renewed(fresh, described()), undefined, 2)}\n`)
      return
    }
    // Where this fails, `npm run examples` records them anew.
    expect(lasting(described())).toEqual(lasting(fresh))
  }, 120_000)

  it.each(oasVersions)('are as their schemas say in OpenAPI %s', (version) => {
    const { document, operations } = describeService(version)
    const conform = conformity(document)
    const contents = operations.flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        content ? [{ operationId, ...contentOf(content) }] : [],
      ),
    )
    expect(contents.length).toBeGreaterThan(100)
    for (const { operationId, schema, example, examples = {} } of contents) {
      const values = [example, ...Object.values(examples).map(({ value }) => value)]
      for (const value of values.filter((one) => one !== undefined)) {
        expect(() => conform(schema, value, operationId)).not.toThrow()
      }
    }
  })
})
