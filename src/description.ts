import { requestIdHeader } from './http/headers.ts'
import { bookmarkHeader } from './http/respond.ts'
import { type Addresses, openApi } from './openapi/document.ts'
import { rateLimitHeaderTexts } from './rate-limit/headers.ts'
import examples from './resources/examples.json' with { type: 'json' }
import { about, registry } from './resources/index.ts'

/** What the layers around the protocol add to answers. */
const headers = {
  always: { [requestIdHeader]: 'Names the request in the log.' },
  limit: rateLimitHeaderTexts,
  session: {
    [bookmarkHeader]:
      'A state of the database: sent back, it lets a caller see what it has written.',
  },
}

/**
 * The interface description of this service (contract, section 19): what its resource types, its limiter and
 * its HTTP layer say of themselves, with answers that were recorded (`npm run examples`). Made when the Worker is built; a deployment fills in its addresses.
 */
export function description({ server, authUrl }: Addresses) {
  const contact = { name: 'Documentation', url: `${server}/docs` }
  return openApi(registry, { ...about, contact }, { server, authUrl, headers, examples })
}
