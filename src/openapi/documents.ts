import { type Endpoint, subjectOf } from '../jsonapi/declare/endpoint.ts'
import { isRelated } from '../jsonapi/declare/operation.ts'
import { isReadable } from '../jsonapi/declare/resource.ts'
import type { QueryRules } from '../jsonapi/request/parameters.ts'
import type { Reference } from './components.ts'
import { object, type SchemaObject } from './schema.ts'
import {
  capitalized,
  identifierSchema,
  jsonapiSchema,
  link,
  linksOf,
  meta,
  nameOf,
  resourceOrNull,
  resourceSchema,
  type Scope,
} from './schemas.ts'

/** The document that an endpoint answers with (contract, section 8). */
export function documentSchema(
  scope: Scope,
  { definition, operation, relationship = '' }: Endpoint,
  { rules, included }: { readonly rules: QueryRules; readonly included: readonly string[] },
): Reference {
  const { paging } = rules
  const most = paging !== 'none' && (paging.most ?? paging.size)
  const related = definition.relationships[relationship]
  const subject = subjectOf(scope.registry, { definition, operation, relationship })
  const isWhole = isRelated(operation)
  const isLinkage = related !== undefined && !isWhole
  const item = isLinkage
    ? identifierSchema(scope, definition, relationship, related)
    : operation === 'relatedOne'
      ? resourceOrNull(scope, subject)
      : resourceSchema(scope, subject)
  const kind = { list: 'List', relatedMany: 'List', relatedOne: 'Item' }[operation as string]
  const name =
    nameOf(definition) + (related ? capitalized(relationship) : '') + (kind ?? 'Document')
  const others = isLinkage && isReadable(related) ? ['related'] : []
  return scope.components.use('schemas', name, () =>
    object(
      {
        jsonapi: jsonapiSchema(scope),
        links: paging === 'none' ? linksOf(['self', ...others]) : pageLinks(scope, others),
        data:
          operation === 'list' || operation === 'readMany' || operation === 'relatedMany'
            ? { type: 'array', items: item, ...(most && { maxItems: most }) }
            : item,
        ...(included.length > 0 && { included: includedSchema(scope, included) }),
        meta: paging === 'none' ? meta : pageMeta(paging.by === 'offset'),
      },
      ['jsonapi', 'links', 'data'],
    ),
  )
}

function includedSchema(scope: Scope, types: readonly string[]): SchemaObject {
  const all = types.map((type) => [type, resourceSchema(scope, scope.registry.get(type))] as const)
  const mapping = Object.fromEntries(all.map(([type, { $ref }]) => [type, $ref]))
  const [[, only] = [], ...others] = all
  return {
    type: 'array',
    description: 'The resources that `include` names, each of them once.',
    items:
      others.length === 0
        ? only
        : { oneOf: all.map(([, one]) => one), discriminator: { propertyName: 'type', mapping } },
  }
}

/** The schema of the links of a page and of the other links of its document. */
function pageLinks({ components }: Scope, others: readonly string[]): Reference {
  const other = { ...link, nullable: true }
  const name = others.length > 0 ? 'RelationshipPageLinks' : 'PageLinks'
  return components.use('schemas', name, () => ({
    ...object(
      {
        ...Object.fromEntries(['self', ...others, 'first'].map((name) => [name, link])),
        ...Object.fromEntries(['prev', 'next', 'last'].map((name) => [name, other])),
      },
      ['self', ...others, 'first', 'prev', 'next', 'last'],
    ),
    description:
      'Links to this page and others. A link is null where there is no such page, or where a cursor cannot tell.',
  }))
}

function pageMeta(hasTotal: boolean): SchemaObject {
  return object({
    ...(hasTotal && {
      'pagination.totalItems': {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        description: 'The number of resources on all pages. Absent where `page[cursor]` was sent.',
      },
    }),
    'pagination.nextCursor': {
      type: 'string',
      description: 'The value of `page[cursor]` for the next page. Absent on the last page.',
    },
  })
}
