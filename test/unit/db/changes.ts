import type { StoreOptions } from '../../../src/db/store.ts'
import type { Identifier } from '../../../src/jsonapi/document.ts'
import type { IdempotencyKey } from '../../../src/jsonapi/idempotency.ts'
import { planRead } from '../../../src/jsonapi/run/plan.ts'
import type { Change, Edit, Outcome } from '../../../src/jsonapi/run/store.ts'
import { endpointOf, specOf } from '../jsonapi/run/readers.ts'
import type { Around, Database } from './d1/d1.ts'
import { reader } from './reading.ts'
import { article, ids, insert, openDomain, person, tag } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

type Relationships = Readonly<Record<string, readonly Identifier[]>>

/** The attributes of an article with everything that is required. */
const complete = { title: 'Title', handle: 'Handle', section: 'News' }

/** The create of an article, with the read that shows what it has made. */
export function create(
  id: string,
  attributes: Readonly<Record<string, unknown>> = {},
  relationships: Relationships = {},
): Change {
  const request = { ...endpointOf('articles.create'), principal: reader }
  const from = { kind: 'ids', ids: [id] } as const
  const { read } = planRead({ registry }, request, specOf('articles.create', {}), from)
  return { kind: 'create', id, attributes: { ...complete, ...attributes }, relationships, read }
}

/** The update of an article. */
export function update(
  id: string,
  attributes: Readonly<Record<string, unknown>>,
  relationships: Relationships = {},
): Change {
  return { kind: 'update', id, attributes, relationships }
}

/** A change of the contributors of an article, each with the same part. */
export function contributors(
  kind: 'replace' | 'add' | 'remove',
  id: string,
  people: readonly string[],
  part = 'EDITOR',
): Change {
  return {
    kind,
    id,
    relationship: 'contributors',
    members: people.map((id) => ({ id, meta: { part } })),
  }
}

/** The number of rows that all statements so far have inserted, changed and deleted, those included that were undone. */
export async function changesOf(d1: Database): Promise<number> {
  const [[changes = 0] = []] = await d1.prepare('SELECT total_changes()').raw<[number]>()
  return changes
}

let edits = 0

/** A change as an edit of articles, with a revision of its own. */
export function edit(
  change: Change,
  owner: string | null = 'ann',
  condition: Pick<Edit, 'expected'> & { readonly revision?: string } = {},
): Edit {
  edits += 1
  return { type: 'articles', change, owner, revision: `edition-${edits}`, ...condition }
}

/** How a write of one edit ended: what it has found, or why it was refused. */
function ended(outcome: Outcome) {
  if (outcome.kind === 'done') {
    const [found] = outcome.found
    return found ? { kind: 'done' as const, found } : { kind: 'done' as const }
  }
  if (outcome.kind === 'used') {
    return outcome
  }
  const { at, ...refusal } = outcome
  if (at !== 0) {
    throw new Error(`There is no edit ${at}`)
  }
  return refusal
}

/** A store with two articles, `a` of ann and `b` of bob, and with people and tags to point to. */
export async function populated(around?: Around, options?: Partial<StoreOptions>) {
  const domain = await openDomain(around, undefined, options)
  const { d1 } = domain
  await insert(d1, 'tags', ...ids('t', 3).map((id) => tag(id)))
  await insert(d1, 'people', ...ids('p', 3).map((id) => person(id)))
  await insert(d1, 'articles', article('a', { author: 'p01' }), article('b', { keeper: 'bob' }))
  await insert(d1, 'contributions', { article: 'a', person: 'p01', part: 'EDITOR' })
  const rows = async (sql: string) => (await d1.prepare(sql).raw()).map((row) => row.join(' '))
  return {
    ...domain,
    rows,
    /** Makes one change, and tells how it ended without saying at which place. */
    write: async (
      change: Change,
      owner: string | null = 'ann',
      {
        key,
        ...condition
      }: Pick<Edit, 'expected'> & {
        readonly revision?: string
        readonly key?: IdempotencyKey
      } = {},
    ) => ended(await domain.store.write([edit(change, owner, condition)], key)),
  }
}
