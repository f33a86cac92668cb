import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import type { Operation } from '../jsonapi/declare/operation.ts'
import type { Pagination } from '../jsonapi/declare/resource.ts'
import { longestQuery, type QueryRules } from '../jsonapi/request/parameters.ts'
import { whom } from './access.ts'

/** The texts of an operation: a summary of one line, and what the author of a client must know. */
export function textsOf(
  { definition, operation, relationship = '', rule }: Endpoint,
  { paging }: QueryRules,
): { readonly summary: string; readonly description: string } {
  const { type, singular = type, relationships } = definition
  const [summary, about] = texts[operation]
  const fill = (text: string) =>
    text.replace('{types}', type).replace('{type}', singular).replace('{rel}', relationship)
  const access = whom(rule.access)
  return {
    summary: fill(summary),
    description: [
      fill(about),
      relationships[relationship]?.description,
      pagesText(paging),
      `Callers: ${access || 'any valid access token'}.`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}

/** The text about the pages of an operation; empty where it has none. */
function pagesText(paging: Pagination): string {
  if (paging === 'none') {
    return ''
  }
  const { by, size, most } = paging
  return by === 'offset'
    ? 'Pages of `page[limit]` are read by `page[offset]`, with the total in `meta`, or by `page[cursor]`. A page by cursor costs the same wherever it begins, and does not repeat or skip resources because others are added or removed meanwhile.'
    : `Pages of ${most === undefined ? size : '`page[limit]`'} follow each other by \`links.next\`, which is null on the last page.`
}

const texts: Readonly<Record<Operation, readonly [summary: string, about: string]>> = {
  list: [
    'List {types}',
    'Reads a page of {types}, in the order of ids unless another is asked for.',
  ],
  create: [
    'Create one {type}',
    'The server assigns the id, and refuses a body that has one. Send an `Idempotency-Key`, so that the request can be sent again when its answer is lost.',
  ],
  get: ['Read one {type}', ''],
  update: ['Change one {type}', 'Attributes and relationships that are not sent stay unchanged.'],
  delete: ['Delete one {type}', 'A body of the request is ignored.'],
  readOne: [
    'Read {rel} of one {type}',
    'Reads the identifier of the related resource, or null where there is none.',
  ],
  replaceOne: [
    'Replace {rel} of one {type}',
    'Null removes the related resource from the relationship.',
  ],
  readMany: [
    'List {rel} of one {type}',
    'Reads a page of identifiers, in the order of ids unless another is asked for.',
  ],
  replaceMany: [
    'Replace {rel} of one {type}',
    'The members that are sent take the place of all present ones. An empty array removes all members.',
  ],
  addMany: [
    'Add {rel} to one {type}',
    'A member that is there already is not added again. It takes the `meta` that is sent.',
  ],
  removeMany: ['Remove {rel} from one {type}', 'Identifiers that are not members are ignored.'],
  relatedOne: [
    'Read the {rel} of one {type} as a resource',
    'Reads the related resource itself, or null where there is none.',
  ],
  relatedMany: [
    'List the {rel} of one {type} as resources',
    'Reads a page of the related resources themselves, in the order of ids unless another is asked for.',
  ],
}

/** The part of the description of a service that holds for every operation. */
export const general = `
## Requests

Bodies and answers are \`application/vnd.api+json\` (JSON:API 1.1). HEAD is answered like GET, and OPTIONS says
which methods a path takes. A query parameter that is unknown or sent twice is refused, and so is
a query string of more than ${longestQuery} characters, percent-encoded: a 400 without a \`source\`, told alone. Objects in
bodies may hold members whose names begin with \`@\`, which are ignored. The schemas of OpenAPI 3.1 (\`/oas?version=3.1\`)
admit them; those of 3.0 cannot.

## Tokens

Every operation takes \`Authorization: Bearer <token>\`. Fields that the caller may not see are missing from an
answer. The descriptions of attributes and relationships say who sees them. A caller whom the operator of the service has blocked
gets a 403 from every operation.

## Pages

Follow \`links.next\` until it is null. Links are paths that keep all other parameters.

## Errors

An error answer holds all faults that validation found, each with a \`code\`, a \`detail\` and, where it is known, a
\`source\`. Where faults have different statuses, the answer is a 400, and each fault keeps its own \`status\`.

## Limits

Each caller has a bucket of tokens, and each request takes some. The \`X-RateLimit\` headers tell how many are left. Each path
of \`include\`, and each path on the way to it, costs as much again as a read: times 4 for each step to many resources that are
read from the database, times 2 for each step to many reference data, which are in memory. The first of these steps is free
where one resource is asked for. A 429 costs nothing, and its \`Retry-After\` tells how many seconds to wait.
`.trim()
