import { operationsReader } from '../../../../src/jsonapi/atomic/reader.ts'
import type { Principal } from '../../../../src/jsonapi/declare/resource.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { toldInShort, verdictOf } from '../run/readers.ts'

/** Reads transactions of the second domain below `/root`. */
const read = operationsReader(registry, '/root')

/** A person who may write everything that is theirs. */
export const ann: Principal = {
  kind: 'user',
  issuer: 'i',
  id: 'ann',
  scopes: new Set(['articles.read', 'articles.write', 'people.write']),
}

/** Judges operations. */
export const judge = (operations: unknown, principal = ann) =>
  verdictOf((faults) => read({ 'atomic:operations': operations }, principal, faults))

/** Code, in short, and place of each fault, below the operations: `absent /0/data`. */
export const faults = (...operations: unknown[]) =>
  toldInShort(judge(operations)).map((text) => text.replace('/atomic:operations', ''))

/** A resource object of an article. */
export const article = { type: 'articles', attributes: { title: 'T', handle: 'h', section: 's' } }
/** A resource object of a person. */
export const person = { type: 'people', attributes: { nickname: 'n', born: 1 } }
/** The operation that adds a resource. */
export const add = (data: object = article) => ({ op: 'add', data })
/** The `ref` of a relationship of an article. */
export const on = (relationship: string, named: object = { id: 'a' }) => ({
  type: 'articles',
  ...named,
  relationship,
})
/** The identifier of a contributor. */
export const editor = (named: object) => ({ type: 'people', ...named, meta: { part: 'EDITOR' } })
