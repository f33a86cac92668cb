import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import type { Operation } from '../jsonapi/declare/operation.ts'
import { type QueryRules, queryLimits } from '../jsonapi/request/parameters.ts'
import { whom } from './access.ts'

/** What an operation does: a line, and what a client author must know of it. */
export function textsOf(
  { definition, operation, relationship = '', rule }: Endpoint,
  { paging, isSized }: QueryRules,
): { readonly summary: string; readonly description: string } {
  const { type, singular = type, relationships } = definition
  const [summary, about] = texts[operation]
  const fill = (text: string) =>
    text.replace('{types}', type).replace('{type}', singular).replace('{rel}', relationship)
  const access = whom(rule.access)
  return {
    summary: fill(summary),
    description: [
      about,
      relationships[relationship]?.description,
      paging === 'cursor' ? cursorPages(isSized) : pages[paging],
      `Callers: ${access || 'any valid access token'}.`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}

const { default: size } = queryLimits.page

/** How a page leads to the next one. */
function cursorPages(isSized: boolean): string {
  const most = isSized ? '`page[limit]`' : size
  return `Pages of ${most}, one after the other: \`links.next\` is null on the last one.`
}

const pages = {
  offset: `Pages of \`page[limit]\` by \`page[offset]\`, with their number; or by \`page[cursor]\`, which costs the same however far it goes and neither repeats nor skips what is added or removed meanwhile.`,
  none: '',
} as const

const texts: Readonly<Record<Operation, readonly [summary: string, about: string]>> = {
  list: ['List {types}', 'A page of them, ordered by id unless asked otherwise.'],
  create: [
    'Create one {type}',
    'The server assigns the id: a body that carries one is refused. Send an `Idempotency-Key`, so that the request can be sent again when its answer was lost.',
  ],
  get: ['Read one {type}', ''],
  update: ['Change one {type}', 'Attributes and relationships that are not sent stay as they are.'],
  delete: ['Delete one {type}', 'A body is ignored.'],
  readOne: ['Read {rel} of one {type}', 'Its linkage; null where there is none.'],
  replaceOne: ['Replace {rel} of one {type}', 'Null removes it.'],
  readMany: [
    'List {rel} of one {type}',
    'A page of its linkage, ordered by id unless asked otherwise.',
  ],
  replaceMany: ['Replace {rel} of one {type}', 'All of them: an empty array removes them.'],
  addMany: [
    'Add {rel} to one {type}',
    'Members that are there already are not doubled; they take on the `meta` that is sent.',
  ],
  removeMany: ['Remove {rel} from one {type}', 'Listed members that are not there do no harm.'],
  relatedOne: [
    'Read the {rel} of one {type} as a resource',
    'The resource itself; null where there is none.',
  ],
  relatedMany: [
    'List the {rel} of one {type} as resources',
    'A page of the resources themselves, ordered by id unless asked otherwise.',
  ],
}

/** What holds for every operation, as a part of the description of a service. */
export const general = `
### Requests

Bodies and answers are \`application/vnd.api+json\` (JSON:API 1.1). HEAD is answered like GET, and OPTIONS says
which methods a path takes. An unknown query parameter, or one given twice, is refused.

### Tokens

Every operation takes \`Authorization: Bearer <token>\`. What the caller may not see is missing from an answer,
not refused: attributes and relationships say who sees them.

### Pages

Follow \`links.next\` until it is null. Links are paths; they keep all other parameters.

### Errors

An error answer holds every fault that validation found, each with a \`code\`, a \`detail\` and, where there is one, a
\`source\`. Faults of different statuses answer 400, and each keeps its own \`status\`.

### Limits

Each caller has a bucket of tokens, which a request takes some from; the \`X-RateLimit\` headers tell how many are left.
A 429 costs nothing and says in \`Retry-After\` when to come back.
`.trim()
