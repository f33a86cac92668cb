import { describe, expect, it } from 'vitest'
import { requestOf } from '../../../public/docs/request.js'
import { languages } from '../../../public/docs/samples.js'
import { freshDemo } from '../../support/fresh-demo.ts'
import { get, person, request } from '../../support/service.ts'
import { documentedRequests, urlOf } from './documented.ts'
import { description, operations } from './openapi.ts'

/** Every scope that the description names. */
const scopes = Object.keys(
  description.components.securitySchemes.Authorization_Code_With_PKCE.flows.authorizationCode
    .scopes,
).join(' ')

/** A request as a sample sends it. */
type Sample = ReturnType<typeof requestOf>

/** The status that a sample gets. Tests in a browser run the commands and programs of all languages, which not every machine has. */
async function statusOf({ method, url, headers, key, body }: Sample, token: string) {
  const { status } = await fetch(url, {
    method,
    headers: {
      ...headers,
      ...(key && { 'Idempotency-Key': key }),
      Authorization: `Bearer ${token}`,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return status
}

describe('The examples and the code samples (contract, section 19)', () => {
  it('can be sent one after the other, in the order of the document, to the demo people, and each succeeds', async () => {
    const { origin } = await freshDemo({ RATE_LIMIT_BURST_CAPACITY: '490' })
    const token = await person('1', scopes)
    const outcomes: string[] = []
    for (const operation of operations) {
      const { operationId, path, method, responses } = operation
      const [success] = Object.keys(responses)
      for (const sent of documentedRequests(operation)) {
        const { method, headers, body } = sent
        const target = `/jsonapi${urlOf(sent)}`
        const { status } = await request(method, target, { token, origin, headers, body })
        outcomes.push(`${operationId}: ${status === Number(success)}`)
      }
      for (const language of Object.keys(languages) as (keyof typeof languages)[]) {
        const api = `${origin}/jsonapi`
        const sample = requestOf(description, api, path, method.toLowerCase(), language)
        const isSuccess = (await statusOf(sample, token)) === Number(success)
        outcomes.push(`${operationId} ${language}: ${isSuccess}`)
      }
    }

    // Several documented requests where a transaction has several examples, and a sample of each for every language.
    expect(outcomes.length).toBeGreaterThan(operations.length * (1 + Object.keys(languages).length))
    expect(outcomes.filter((outcome) => !outcome.endsWith('true'))).toEqual([])
    // John is still there.
    const { text } = await get('/users/1', token, { origin })
    expect(text).toContain('john.doe@example.com')
  }, 120_000)
})
