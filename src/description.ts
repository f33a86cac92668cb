import { docsPath } from './http/docs.ts'
import { requestIdHeader } from './http/log.ts'
import type { OasVersion } from './http/oas.ts'
import { bookmarkHeader } from './http/serve.ts'
import { keyHeaders } from './idempotency/idempotency.ts'
import { createDraft, type OptionalHeaders } from './openapi/components.ts'
import { type Addresses, openApi } from './openapi/document.ts'
import { endpointOperations } from './openapi/operations.ts'
import { transactions } from './openapi/transactions.ts'
import { version31 } from './openapi/version-31.ts'
import { rateLimitHeaderTexts } from './rate-limit/bucket.ts'
import { about, registry } from './resources/index.ts'

/** The headers that the layers around the protocol add to answers. */
const headers = {
  always: {
    [requestIdHeader]: 'Names the request in the log.',
    Vary: 'The headers of the request that the answer depends on.',
    'Content-Security-Policy': 'Lets a browser load nothing for the answer.',
    'Cross-Origin-Resource-Policy': 'Lets no page of another site embed the answer.',
    'Referrer-Policy': 'Lets a browser not name the answer to other pages.',
    'Strict-Transport-Security': 'Makes a browser use HTTPS.',
    'X-Content-Type-Options': 'Lets a browser not guess another media type.',
  },
  limit: rateLimitHeaderTexts,
}

const bookmark = {
  [bookmarkHeader]: {
    description: 'A state of the database. A caller that sends it back reads what it has written.',
    schema: { type: 'string' },
  },
}

/** The headers of a database with replicas. */
const bookmarks: OptionalHeaders = { parameters: bookmark, headers: bookmark }

/** One of the demo people, whom the example of a delete names. */
const expendable = { users: '6' }

/**
 * Makes the interface description of this service from its resource types, its limiter and its HTTP layer.
 * It is made when the Worker is built, and a deployment fills in its URLs.
 *
 * @param version of OpenAPI
 * @param isReplicated is the database replicated? Then answers can have a bookmark
 */
export function description(
  { server, authUrl }: Addresses,
  version: OasVersion = '3.0',
  isReplicated = true,
) {
  const page = docsPath(server)
  const contact = { name: 'Documentation', url: page }
  const externalDocs = { description: 'Guides', url: `${page}/guides/index.html` }
  const optional = [keyHeaders, ...(isReplicated ? [bookmarks] : [])]
  const draft = createDraft(registry, { ...headers, optional }, expendable)
  const operations = [...endpointOperations(draft), ...transactions(draft)]
  const document = openApi(draft, operations, { ...about, contact }, { server, authUrl })
  const made = { ...document, externalDocs }
  return version === '3.1' ? version31(made) : made
}
