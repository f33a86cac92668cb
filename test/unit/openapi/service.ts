import { description } from '../../../src/description.ts'
import type { OasVersion } from '../../../src/http/oas.ts'
import { readDescription } from '../../http/description/read-description.ts'

/** The description of the service itself in a version of OpenAPI, made anew for each test. */
export function describeService(version?: OasVersion) {
  const addresses = { server: 'https://api.example/jsonapi', authUrl: 'https://issuer.example' }
  return readDescription(description(addresses, version))
}
