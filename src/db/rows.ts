import type { ReadPlan, Values } from '../jsonapi/run/plan.ts'
import type { Found, Member } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import { type Beside, type Draft, memberMaker } from './columns.ts'
import type { Row } from './connection.ts'
import type { Rows } from './read-sql.ts'
import type { StoredRegistry } from './source.ts'

/** The context that a sealed value is bound to: a ciphertext that is moved to another resource does not decrypt. */
export function sealContext(type: string, id: string, attribute: string): string {
  return `${type}/${id}/${attribute}`
}

/** Turns the rows of reads of one plan into what they found. */
export type RowReader = (cipher: Cipher, values: Values, rows: readonly Row[]) => Promise<Found>

/**
 * Makes the reader of a plan. It decrypts the sealed values that were selected, so that nothing outside `src/db` sees a
 * ciphertext. It rejects with an Error when a sealed value does not decrypt.
 */
export function rowReader(
  registry: StoredRegistry,
  { type, from }: ReadPlan,
  kinds: readonly Rows[],
): RowReader {
  const memberOf =
    from.kind === 'linkage' ? memberMaker(registry.get(type), from.relationship) : undefined
  const asked: Rows['kind'] = memberOf ? 'member' : 'record'
  return async (cipher, { limit }, rows) => {
    const drafts: Record<Rows['kind'], Draft[]> = {
      record: [],
      member: [],
      owner: [],
      total: [],
      related: [],
    }
    const beside: Beside = { keys: [], meta: [], total: undefined, sealed: [] }
    const members: Member[] = []
    let more = false
    for (const row of rows) {
      const kind = kinds[row[0] as number]
      if (!kind) {
        continue
      }
      const those = drafts[kind.kind]
      const isAsked = kind.kind === asked
      if (isAsked && those.length === limit) {
        more = true
        continue
      }
      if (isAsked) {
        beside.keys = []
        beside.meta = []
      }
      const draft = draftOf(kind, row, beside)
      those.push(draft)
      if (isAsked && memberOf) {
        members.push(memberOf(draft.id, beside.meta))
      }
    }
    const last = drafts[asked].at(-1)
    if (beside.sealed.length > 0) {
      await openSealed(cipher, beside.sealed)
    }
    return {
      records: drafts.record,
      ...(from.kind === 'page' && from.of && { isOrphan: drafts.owner.length === 0 }),
      members,
      more,
      position: more && last ? [...beside.keys, last.id] : undefined,
      // A first page without rows means that the total is 0.
      total: from.kind === 'page' && from.total ? (beside.total ?? 0) : undefined,
      related: drafts.related,
    }
  }
}

/** Reads a row, which holds the index of its kind and then the columns of the kind. */
function draftOf({ type, columns }: Rows, row: Row, beside: Beside): Draft {
  const draft: Draft = {
    type,
    id: '',
    owned: false,
    attributes: {},
    linkage: {},
    revision: undefined,
  }
  for (let index = 0; index < columns.length; index++) {
    columns[index]?.read(row[index + 1], draft, beside)
  }
  return draft
}

async function openSealed(cipher: Cipher, sealed: Beside['sealed']): Promise<void> {
  for (const { draft, attribute } of sealed) {
    const { type, id, attributes } = draft
    const context = sealContext(type, id, attribute)
    attributes[attribute] = await cipher.decrypt(attributes[attribute] as string, context)
  }
}
