import { description as describe } from '../../src/description.ts'
import { readDescription } from './read-description.ts'

/** The description as it is built, for addresses made up. */
export const { document: description, operations } = readDescription(
  describe({ server: 'https://api.example/jsonapi', authUrl: 'https://issuer.example' }),
)
