import { description as descriptionOf } from '../../../src/description.ts'
import type { OasVersion } from '../../../src/http/oas.ts'
import { readDescription } from './read-description.ts'

/** The description of the service in a version of OpenAPI, with invented addresses. */
const describeService = (version: OasVersion) =>
  readDescription(
    descriptionOf(
      { server: 'https://api.example/jsonapi', authUrl: 'https://issuer.example' },
      version,
    ),
  )

/** The description in OpenAPI 3.0, and in 3.1. */
export const [description30, description31] = [describeService('3.0'), describeService('3.1')]
export const { document: description, operations } = description30
