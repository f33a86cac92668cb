import { createSigner, parseKeyRing } from '../../src/lib/key-ring.ts'
import { cardKeys } from './card-keys.ts'

/** Signs fingerprints of requests where a test is about something else. */
export const fingerprints = createSigner(parseKeyRing(cardKeys), 'fingerprint of a request')
