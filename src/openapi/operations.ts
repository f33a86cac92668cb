import type { Operation } from '../jsonapi/declare/operation.ts'
import type { Endpoint } from '../jsonapi/declare/registry.ts'
import type { Pagination, ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { QueryRules } from '../jsonapi/request/query-parameters.ts'
import { callersOf } from './access.ts'

/** A name with a capital at its beginning, as a part of a longer name. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The name of a type in longer names: `User`. */
export function nameOf({ type, singular = type }: ResourceDefinition): string {
  return capitalized(singular)
}

/**
 * The id of an operation. It has letters only, so that it can be the name of a function in generated clients of any language.
 */
export function operationId({ definition, operation, relationship = '' }: Endpoint): string {
  return texts[operation].id
    .replace('{Types}', capitalized(definition.type))
    .replace('{Type}', nameOf(definition))
    .replace('{Rel}', capitalized(relationship))
}

/** The texts of an operation: a summary of one line, and what the author of a client must know. */
export function textsOf(
  { definition, operation, relationship = '', rule }: Endpoint,
  { paging }: QueryRules,
  advice = '',
): { readonly summary: string; readonly description: string } {
  const { type, singular = type, relationships } = definition
  const { summary, about } = texts[operation]
  const fill = (text: string) =>
    text.replace('{types}', type).replace('{type}', singular).replace('{rel}', relationship)
  const parts = [
    `${fill(about)} ${operation === 'create' ? advice : ''}`.trim(),
    relationships[relationship]?.description,
    pagesText(paging),
    callersOf(rule.access),
  ]
  return { summary: fill(summary), description: parts.filter(Boolean).join('\n\n') }
}

/** The text about the pages of an operation; empty where it has none. */
function pagesText(paging: Pagination): string {
  if (paging === 'none') {
    return ''
  }
  const { by, size, max } = paging
  return by === 'offset'
    ? 'Pages of `page[limit]` are read by `page[offset]`, with the total in `meta`, or by `page[cursor]`. A page by cursor costs the same wherever it begins, and does not repeat or skip resources because others are added or removed meanwhile.'
    : `Pages of ${max === undefined ? size : '`page[limit]`'} follow each other by \`links.next\`, which is null on the last page.`
}

interface OperationTexts {
  /** Its name. `{Types}`, `{Type}` and `{Rel}` stand for the names of the resource type and the relationship. */
  readonly id: string
  readonly summary: string
  readonly about: string
}

const texts: Readonly<Record<Operation, OperationTexts>> = {
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
