import type { Endpoint } from '../declare/endpoint.ts'
import { isRelated, type Operation } from '../declare/operation.ts'
import { isReadable } from '../declare/resource.ts'
import type { Links } from '../document.ts'
import { arrayText, compileRenderer, firstText, memberRenderer, pathOf } from './render.ts'
import type { Found } from './store.ts'
import type { View } from './view.ts'

/** What a document answers: an operation on a type or a relationship, with the id in its path. */
interface Asked extends Pick<Endpoint, 'definition' | 'operation' | 'relationship'> {
  readonly id: string | undefined
}

/** The relationship whose identifiers a request reads; undefined where it reads resources. */
export function linkageOf({ operation, relationship }: Asked): string | undefined {
  return isRelated(operation) ? undefined : relationship
}

/** The link `related` of a document of identifiers (JSON:API 1.1, "Related Resource Links"); none for other documents. */
export function relatedLink(root: string, asked: Asked): Links {
  const { definition, id = '' } = asked
  const name = linkageOf(asked)
  const relationship = definition.relationships[name ?? '']
  return relationship && isReadable(relationship)
    ? { related: `${pathOf(root, definition.type, id)}/${name}` }
    : {}
}

/** The operations that answer with an array. */
const ofMany: ReadonlySet<Operation> = new Set(['list', 'readMany', 'relatedMany'])

/** The text of `data` of a document: an array of resources or identifiers, a single one, or null (contract, section 8). */
export function dataText(
  root: string,
  asked: Asked,
  view: View,
  { records, members }: Found,
): string {
  const isMany = ofMany.has(asked.operation)
  const relationship = linkageOf(asked)
  if (relationship === undefined) {
    const render = compileRenderer(root, view)
    return isMany ? arrayText(records, render) : firstText(records, render)
  }
  const member = memberRenderer(asked.definition.relationships[relationship]?.target ?? '')
  return isMany ? arrayText(members, member) : firstText(members, member)
}
