import { checkRequest, checkResponse } from '../http/description/response-check.ts'
import type { Attempt } from './attempt.ts'
import type { Received, Sent } from './send.ts'
import type { World } from './world.ts'

/** Everything that is wrong with an answer, whatever the request was: a sentence each. */
export function answerFaults(world: World, attempt: Attempt, answer: Received): string[] {
  const { expected, sent } = attempt
  const faults = documentedFaults(sent, answer)
  if (!expected.includes(answer.status)) {
    faults.push(`${answer.status} where ${expected.join(' or ')} is right`)
  }
  return [...faults, ...leaks(world, attempt, answer)]
}

/** What differs from the interface description. */
function documentedFaults(
  { method, path, body }: Sent,
  { status, headers, text }: Received,
): string[] {
  try {
    checkResponse(method, path, status, headers, text === '' ? undefined : JSON.parse(text))
    if (status < 300 && body !== undefined) {
      checkRequest(method, path, body)
    }
    return status >= 500 ? [`${status}: ${text}`] : []
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Values that the caller may not see, and headers that must be there on every answer. */
function leaks(world: World, { credential, sent }: Attempt, { headers, text }: Received): string[] {
  const everything = `${JSON.stringify(headers)}\n${text}`
  const asked = `${sent.path}${sent.body === undefined ? '' : Buffer.from(sent.body)}`
  const faults = world.secrets
    .filter(
      ({ value, scopes }) =>
        everything.includes(value) &&
        !asked.includes(value) &&
        !scopes?.every((scope) => credential.scopes.includes(scope)),
    )
    .map(({ value }) => `"${value}" is shown to ${credential.name}`)
  if (headers['x-injected'] !== undefined) {
    faults.push('a header was injected')
  }
  if (headers['x-content-type-options'] !== 'nosniff') {
    faults.push('the security headers are missing')
  }
  return faults
}
