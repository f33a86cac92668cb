import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import type { Operation } from '../jsonapi/declare/operation.ts'
import { capitalized, nameOf } from './schemas.ts'

/** The names of operations. `{Types}`, `{Type}` and `{Rel}` stand for the names of the resource type and the relationship. */
const names: Readonly<Partial<Record<Operation, string>>> = {
  list: 'list{Types}',
  readOne: 'get{Type}{Rel}Relationship',
  readMany: 'get{Type}{Rel}Relationship',
  replaceOne: 'replace{Type}{Rel}',
  replaceMany: 'replace{Type}{Rel}',
  relatedOne: 'get{Type}{Rel}',
  relatedMany: 'get{Type}{Rel}',
  addMany: 'add{Type}{Rel}',
  removeMany: 'remove{Type}{Rel}',
}

/** The id of an operation. It has letters only, so that it can be the name of a function in generated clients of any language. */
export function operationId({ definition, operation, relationship = '' }: Endpoint): string {
  const name = names[operation] ?? `${operation}{Type}{Rel}`
  return name
    .replace('{Types}', capitalized(definition.type))
    .replace('{Type}', nameOf(definition))
    .replace('{Rel}', capitalized(relationship))
}
