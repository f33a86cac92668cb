import { keyHeaders } from '../../../src/idempotency/idempotency.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { createDraft } from '../../../src/openapi/components.ts'
import { openApi } from '../../../src/openapi/document.ts'
import { endpointOperations } from '../../../src/openapi/operations.ts'
import { transactions } from '../../../src/openapi/transactions.ts'
import { readDescription } from '../../http/description/read-description.ts'
import { registry as secondDomain } from '../db/second-domain/registry.ts'

/** What the layers around the protocol are said to add. */
const headers = {
  always: { 'X-Trace': 'Names the request.' },
  limit: { 'X-Left': 'How many are left.' },
  optional: [keyHeaders],
}

/** What the second domain says of itself. */
const about = {
  title: 'Articles',
  version: '2.1.0',
  description: 'Articles and who wrote them.',
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  scopes: { 'articles.write': 'Write.' },
}

/** Describes another service than the real one: the second domain, unless another registry is given. */
export function describeOther(registry: Registry = secondDomain) {
  const addresses = { server: 'https://service.example/root', authUrl: 'https://login.example' }
  const draft = createDraft(registry, headers)
  const operations = [...endpointOperations(draft), ...transactions(draft)]
  return readDescription(openApi(draft, operations, about, addresses))
}
