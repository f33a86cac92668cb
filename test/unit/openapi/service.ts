import { description } from '../../../src/description.ts'
import type { OasVersion } from '../../../src/http/oas.ts'
import { readDescription } from '../../http/description/read-description.ts'

const addresses = { server: 'https://api.example/jsonapi', authUrl: 'https://issuer.example' }
const described = new Map<OasVersion, ReturnType<typeof readDescription>>()

/** The description of the service itself in a version of OpenAPI: made once for all tests, which only read it. */
export function describeService(version: OasVersion = '3.0') {
  const known = described.get(version) ?? readDescription(description(addresses, version))
  described.set(version, known)
  return known
}
