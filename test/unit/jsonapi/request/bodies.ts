import { parseBody } from '../../../../src/jsonapi/json.ts'
import { bodyReader } from '../../../../src/jsonapi/request/body.ts'
import { endpointOf, toldInShort, verdictOf } from '../run/readers.ts'

/** Judges a body as an endpoint does, with `a1` in the path where there is an id. */
function judge(name: string, body: object) {
  const { definition, operation, relationship } = endpointOf(name)
  const read = bodyReader(definition, operation, relationship)
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const id = operation === 'create' ? undefined : 'a1'
  return verdictOf((faults) => read(parseBody(bytes, faults) ?? {}, id, faults))
}

/** Code, in short, and pointer of each problem: `absent /data`. */
export function problemsOf(name: string, body: object): string[] {
  return toldInShort(judge(name, body))
}

const title = { title: 'T', handle: 'h', section: 's' }

/** The body of a create: an article, complete but for these members. */
export const article = (members: object = {}) => ({
  data: { type: 'articles', attributes: title, ...members },
})

/** The body of a create with these attributes beside the required ones. */
export const withTitle = (attributes: object) =>
  article({ attributes: { ...title, ...attributes } })

/** The body of a create with these relationships. */
export const related = (relationships: object) => article({ relationships })

/** The body of an update of `a1`. */
export const update = (members: object) => ({ data: { type: 'articles', id: 'a1', ...members } })

/** Identifiers of people. */
export const people = (...ids: unknown[]) => ids.map((id) => ({ type: 'people', id }))

/** Identifiers of so many contributors, with the meta they need. */
export const editors = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: 'people',
    id: `p${index}`,
    meta: { part: 'EDITOR' },
  }))
