import {
  acceptsBody,
  hasId,
  isRead,
  type Operation,
  operations,
} from '../jsonapi/declare/operation.ts'
import { type Endpoint, endpointPath, endpointsOf, successOf } from '../jsonapi/declare/registry.ts'
import type { Pagination } from '../jsonapi/declare/resource.ts'
import { type ErrorCode, faultCodes as fault } from '../jsonapi/problems.ts'
import { queryRules } from '../jsonapi/request/query-parameters.ts'
import { isOpen } from './access.ts'
import { capitalize, type Draft, typeName } from './components.ts'
import { documentSchema } from './documents.ts'
import { jsonApiContent } from './json-schema.ts'
import { bodyOf, parametersOf } from './requests.ts'

/** What the description says about one operation only. */
export type OperationSpec = ReturnType<typeof operationOf>

/** The operations of all types. */
export function endpointOperations(draft: Draft): OperationSpec[] {
  return endpointsOf(draft.registry).map((endpoint) => operationOf(draft, endpoint))
}

/** The operation of an endpoint. */
export function operationOf(draft: Draft, endpoint: Endpoint) {
  const { definition, operation, relationship = '', declared, rule } = endpoint
  const { type, singular = type, description } = definition
  const { id, summary, about } = texts[operation]
  const fill = (text: string): string =>
    text.replace('{types}', type).replace('{type}', singular).replace('{rel}', relationship)
  const creates = operation === 'create'
  const answersDocument = creates || isRead(operation)
  const { status, headers } = successOf(endpoint)
  return {
    /** The path below the root. */
    path: endpointPath(endpoint, '{id}'),
    method: operations[operation].method,
    tag: { name: type, description },
    // It has letters only, so that it can be the name of a function in generated clients of any language.
    operationId: id
      .replace('{Types}', capitalize(type))
      .replace('{Type}', typeName(definition))
      .replace('{Rel}', capitalize(relationship)),
    summary: fill(summary),
    /** What it does. */
    about: fill(about),
    /** Further paragraphs of its description. */
    notes: [
      ...(declared ? [declared.description] : []),
      ...pagesText(queryRules(draft.registry, endpoint).paging),
    ],
    access: rule.access,
    creates,
    parameters: parametersOf(draft, endpoint),
    /** The schema and an example of its body, by media type. */
    body: acceptsBody(operation) ? jsonApiContent(bodyOf(draft, endpoint)) : undefined,
    success: {
      status,
      description: creates
        ? 'The new resource.'
        : answersDocument
          ? 'The document that was asked for.'
          : 'The operation is done.',
      /** The headers that it always has, beside those of every answer and of the limiter. */
      headers: [
        ...(operation === 'delete' ? [] : ['ETag']),
        'Cache-Control',
        ...(creates ? ['Location'] : []),
      ],
      possibleHeaders: headers.map(([name]) => name),
      /** The schema of the answer, by media type. */
      content: answersDocument
        ? jsonApiContent({ schema: documentSchema(draft, endpoint) })
        : undefined,
    },
    errors: errorsOf(endpoint),
  }
}

/** The codes of what can end any request, and comes alone. */
const everywhere: ErrorCode[] = [
  'UNAUTHORIZED',
  'ACCESS_TOKEN_EXPIRED',
  fault.blocked,
  'METHOD_NOT_SUPPORTED',
  'NOT_ACCEPTABLE',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
]

/** The errors of an endpoint, which follow from what its operation does. */
export function errorsOf(endpoint: Endpoint) {
  const { definition, operation, relationship, rule } = endpoint
  const related = Object.values(definition.relationships)
  const isGet = isRead(operation)
  const hasBody = acceptsBody(operation)
  const hasResource = hasBody && relationship === undefined
  const creates = operation === 'create'
  const addsMembers = operation === 'addMany' || operation === 'replaceMany'
  const namesTargets = hasResource ? related.length > 0 : addsMembers || operation === 'replaceOne'
  const rows: readonly (readonly [does: boolean, found: ErrorCode[], alone?: ErrorCode[]])[] = [
    [true, ['VALUE_INVALID_FORMAT', 'UNEXPECTED_PARAMETER'], [...everywhere, fault.stale]],
    [isGet || hasBody, ['INVALID_ENUM_VALUE']],
    [hasBody, ['VALUE_IS_ABSENT', 'INVALID_PAYLOAD'], ['UNSUPPORTED_MEDIA_TYPE']],
    [hasResource, [fault.otherType, fault.otherId], [fault.taken, fault.full]],
    [creates, [fault.clientId]],
    [addsMembers, [], [fault.full]],
    [namesTargets, [], [fault.dangling]],
    [hasId(operation), [], [fault.absent]],
    [!isOpen(rule.access), [], [fault.forbidden, fault.foreign]],
  ]
  const own = rows.filter(([does]) => does)
  return {
    /** The kind, in the name of the 400; empty for reads. Errors of one kind have the same codes in `found`. */
    kind: isGet ? '' : creates ? 'Create' : hasResource ? 'Update' : hasBody ? 'Linkage' : 'Delete',
    /** The codes of what validation finds. They come together: in a 400, if their statuses differ. */
    found: own.flatMap(([, found]) => found),
    /** The codes of what comes alone. */
    alone: own.flatMap(([, , alone = []]) => alone),
  }
}

/** The text about the pages of an operation, if it has any. */
function pagesText(paging: Pagination): string[] {
  if (paging === 'none') {
    return []
  }
  const { by, size, max } = paging
  const text =
    by === 'offset'
      ? 'Pages of `page[limit]` are read by `page[offset]`, with the total in `meta`, or by `page[cursor]`. A page by cursor costs the same wherever it begins, and does not repeat or skip resources because others are added or removed meanwhile.'
      : `Pages of ${max === undefined ? size : '`page[limit]`'} follow each other by \`links.next\`, which is null on the last page.`
  return [text]
}

/** The texts of the operations. `{type}`, `{types}` and `{rel}` stand for the names of the resource type and the relationship. */
const texts: Readonly<Record<Operation, Readonly<Record<'id' | 'summary' | 'about', string>>>> = {
  list: {
    id: 'list{Types}',
    summary: 'List {types}',
    about: 'Reads a page of {types}, in the order of ids unless another is asked for.',
  },
  create: {
    id: 'create{Type}',
    summary: 'Create one {type}',
    about: 'Creates one {type}. The server assigns the id, and refuses a body that has one.',
  },
  get: { id: 'get{Type}', summary: 'Read one {type}', about: 'Reads one {type} by its id.' },
  update: {
    id: 'update{Type}',
    summary: 'Change one {type}',
    about: 'Changes the attributes and relationships that are sent. All others stay unchanged.',
  },
  delete: {
    id: 'delete{Type}',
    summary: 'Delete one {type}',
    about: 'Deletes one {type}. A body of the request is ignored.',
  },
  readOne: {
    id: 'get{Type}{Rel}Relationship',
    summary: 'Read {rel} of one {type}',
    about: 'Reads the identifier of the related resource, or null where there is none.',
  },
  replaceOne: {
    id: 'replace{Type}{Rel}',
    summary: 'Replace {rel} of one {type}',
    about: 'Replaces the related resource. Null removes it from the relationship.',
  },
  readMany: {
    id: 'get{Type}{Rel}Relationship',
    summary: 'List {rel} of one {type}',
    about: 'Reads a page of identifiers, in the order of ids unless another is asked for.',
  },
  replaceMany: {
    id: 'replace{Type}{Rel}',
    summary: 'Replace {rel} of one {type}',
    about: 'Replaces all members by those that are sent. An empty array removes all members.',
  },
  addMany: {
    id: 'add{Type}{Rel}',
    summary: 'Add {rel} to one {type}',
    about:
      'Adds members. A member that is there already is not added again, and gets the `meta` that is sent.',
  },
  removeMany: {
    id: 'remove{Type}{Rel}',
    summary: 'Remove {rel} from one {type}',
    about: 'Removes members. Identifiers that are not members are ignored.',
  },
  relatedOne: {
    id: 'get{Type}{Rel}',
    summary: 'Read the {rel} of one {type} as a resource',
    about: 'Reads the related resource itself, or null where there is none.',
  },
  relatedMany: {
    id: 'get{Type}{Rel}',
    summary: 'List the {rel} of one {type} as resources',
    about:
      'Reads a page of the related resources themselves, in the order of ids unless another is asked for.',
  },
}
