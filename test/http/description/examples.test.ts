import { describe, expect, it } from 'vitest'
import { configuredService, get, person, request } from '../../support/service.ts'
import { documentedRequest, urlOf } from './documented.ts'
import { description, operations } from './openapi.ts'

/** Every scope that the description names. */
const scopes = Object.keys(
  description.components.securitySchemes.Authorization_Code_With_PKCE.flows.authorizationCode
    .scopes,
).join(' ')

describe('The examples of the description', () => {
  it('can be sent one after the other, in the order of the document, to the demo people, and each succeeds', async () => {
    const { origin } = await configuredService()
    const token = await person('1', scopes)
    const outcomes: string[] = []
    for (const operation of operations) {
      const { operationId, responses } = operation
      const [success] = Object.keys(responses)
      const sent = documentedRequest(operation)
      const { method, headers, body } = sent
      const target = `/jsonapi${urlOf(sent)}`
      const { status } = await request(method, target, { token, origin, headers, body })
      outcomes.push(`${operationId}: ${status === Number(success)}`)
    }

    expect(outcomes).toHaveLength(operations.length)
    expect(outcomes.filter((outcome) => !outcome.endsWith('true'))).toEqual([])
    // John is still there.
    const { text } = await get('/users/1', token, { origin })
    expect(text).toContain('john.doe@example.com')
  }, 120_000)
})
