import type { Received } from '../lib/send.ts'
import type { Operation } from '../requests/description.ts'
import type { Attempt } from './attempt.ts'
import type { World } from './world.ts'

/** Everything that is wrong with an answer, whatever the request was: a sentence each. */
export function answerFaults(world: World, attempt: Attempt, answer: Received): string[] {
  const { operation, expected, wrongs } = attempt
  const faults = documentedFaults(operation, answer)
  if (expected && !expected.includes(answer.status)) {
    const why = wrongs.length > 0 ? `wrong is ${wrongs.join(', ')}` : 'nothing is wrong'
    faults.push(`${answer.status} where ${expected.join(' or ')} is right: ${why}`)
  }
  return [...faults, ...leaks(world, attempt, answer)]
}

/** What differs from the interface description. */
export function documentedFaults({ responses }: Operation, answer: Received): string[] {
  const { status, headers, text } = answer
  if (status >= 500) {
    return [`${status}: ${text.slice(0, 300)}`]
  }
  const documented = responses[status]
  if (!documented) {
    return [`${status} is not documented: ${text.slice(0, 300)}`]
  }
  const faults: string[] = []
  for (const [name, { required, schema }] of Object.entries(documented.headers)) {
    const value = headers[name.toLowerCase()]
    if (value === undefined && required) {
      faults.push(`${status} without ${name}`)
    } else if (value !== undefined && schema.type === 'integer' && !/^\d+$/.test(String(value))) {
      faults.push(`${name} is no integer: ${value}`)
    }
  }
  if (documented.mediaType === undefined) {
    return text === '' ? faults : [...faults, `${status} has a body`]
  }
  if (headers['content-type'] !== documented.mediaType) {
    return [...faults, `the media type is ${headers['content-type']}`]
  }
  const fault = documented.judge(JSON.parse(text))
  return fault === undefined ? faults : [...faults, `the document is not as documented: ${fault}`]
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
