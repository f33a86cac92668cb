import { requestIdHeader } from './http/headers.ts'
import { bookmarkHeader } from './http/respond.ts'
import { type Addresses, openApi } from './openapi/document.ts'
import { rateLimitHeaderTexts } from './rate-limit/headers.ts'
import examples from './resources/examples.json' with { type: 'json' }
import { about, registry } from './resources/index.ts'

/** The headers that the layers around the protocol add to answers. */
const headers = {
  always: { [requestIdHeader]: 'Names the request in the log.' },
  limit: rateLimitHeaderTexts,
  session: {
    [bookmarkHeader]:
      'A state of the database. A caller that sends it back reads what it has written.',
  },
}

/**
 * Makes the interface description of this service (contract, section 19) from its resource types, its limiter and its HTTP layer,
 * with recorded answers (`npm run examples`). It is made when the Worker is built, and a deployment fills in its URLs.
 */
export function description({ server, authUrl }: Addresses) {
  const contact = { name: 'Documentation', url: `${server}/docs` }
  return openApi(registry, { ...about, contact }, { server, authUrl, headers, examples })
}
