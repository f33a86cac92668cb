import type { StoreOptions } from '../../../src/db/store.ts'
import type { Edit, Fault, Guard, Outcome } from '../../../src/jsonapi/run/port.ts'
import { readOf, viewOf } from '../../../src/jsonapi/run/views.ts'
import { endpointOf, reader } from '../jsonapi/run/readers.ts'
import type { Around, Database } from './d1.ts'
import { article, ids, insert, openDomain, person, tag } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

/** What an edit does to an article. */
export type Change = Omit<Edit, 'type' | 'owner' | 'revision'>

const nothing = { attributes: {}, relationships: {} }

/** The attributes of an article with everything that is required. */
const complete = { title: 'Title', handle: 'Handle', section: 'News' }

/** The create of an article, with the read that shows what it has made. */
export function create(
  id: string,
  attributes: Edit['attributes'] = {},
  relationships: Edit['relationships'] = {},
): Change {
  const query = { include: undefined, fields: new Map() }
  const request = { ...endpointOf('articles.create'), principal: reader, query }
  const read = readOf(viewOf(registry, request), { kind: 'ids', ids: [id] })
  return { kind: 'create', id, attributes: { ...complete, ...attributes }, relationships, read }
}

/** The update of an article. */
export function update(
  id: string,
  attributes: Edit['attributes'],
  relationships: Edit['relationships'] = {},
): Change {
  return { kind: 'update', id, attributes, relationships }
}

/** The delete of an article. */
export function remove(id: string): Change {
  return { kind: 'delete', id, ...nothing }
}

/** A change of the contributors of an article, each with the same part. An update replaces them. */
export function contributors(
  kind: 'update' | 'add' | 'remove',
  id: string,
  people: readonly string[],
  part = 'EDITOR',
): Change {
  const members = people.map((one) => ({ id: one, meta: { part } }))
  return { ...nothing, kind, id, relationships: { contributors: members } }
}

/** The number of rows that all statements so far have inserted, changed and deleted, those included that were undone. */
export async function changesOf(d1: Database): Promise<number> {
  const [[changes = 0] = []] = await d1.prepare('SELECT total_changes()').raw<[number]>()
  return changes
}

let edits = 0

/** A change as an edit of articles, with a revision of its own. */
export function edit(change: Change, owner: string | null = 'ann', further?: Partial<Edit>): Edit {
  edits += 1
  return { type: 'articles', ...change, owner, revision: `edition-${edits}`, ...further }
}

/** The delete of a person, whom nobody owns. */
export function removePerson(id: string): Edit {
  return edit(remove(id), null, { type: 'people' })
}

/** The outcome of a write whose first edit, or another one, cannot be made. */
export function refused(first: Fault, at = 0): Outcome {
  return { kind: 'refused', at, faults: [first] }
}

/** A store with two articles, `a` of ann and `b` of bob, and with people and tags to point to. */
export async function populated(around?: Around, options?: Partial<StoreOptions>) {
  const domain = openDomain(around, undefined, options)
  const { d1, store } = domain
  await insert(d1, 'tags', ...ids('t', 3).map((id) => tag(id)))
  await insert(d1, 'people', ...ids('p', 3).map((id) => person(id)))
  await insert(d1, 'articles', article('a', { author: 'p01' }), article('b', { keeper: 'bob' }))
  await insert(d1, 'contributions', { article: 'a', person: 'p01', part: 'EDITOR' })
  return {
    ...domain,
    rows: async (sql: string) => (await d1.prepare(sql).raw()).map((row) => row.join(' ')),
    /** Makes edits in one transaction. */
    writeAll: (...all: readonly Edit[]) => store.write(all),
    /** Makes one change. */
    write: (change: Change, owner?: string | null, guard?: Guard) =>
      store.write([edit(change, owner)], guard),
  }
}
