import { description } from '../../../src/description.ts'
import { readDescription } from '../../http/description/read-description.ts'

/** The description of the service itself, made anew for each test. */
export function describeService() {
  return readDescription(
    description({ server: 'https://api.example/jsonapi', authUrl: 'https://issuer.example' }),
  )
}
