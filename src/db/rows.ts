import type { ReadPlan, Values } from '../jsonapi/run/plan.ts'
import type { Found, ResourceRecord } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import { type Draft, memberMaker } from './columns.ts'
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
  return async (cipher, { limit }, rows) => {
    const drafts: Record<Rows['kind'], Draft[]> = {
      record: [],
      member: [],
      owner: [],
      total: [],
      related: [],
    }
    for (const row of rows) {
      const kind = kinds[row[0] as number]
      if (kind) {
        drafts[kind.kind].push(draftOf(kind, row))
      }
    }
    // A first page without rows means that the total is 0.
    const total = (drafts.total[0] ?? drafts.record[0])?.total ?? 0
    const asked = memberOf ? drafts.member : drafts.record
    const more = limit !== undefined && asked.length > limit
    if (more) {
      asked.length = limit
    }
    const last = asked.at(-1)
    await openSealed(cipher, drafts.record)
    await openSealed(cipher, drafts.related)
    return {
      records: drafts.record.map(recordOf),
      ...(from.kind === 'page' && from.of && { isOrphan: drafts.owner.length === 0 }),
      members: memberOf ? drafts.member.map(({ id, meta }) => memberOf(id, meta)) : [],
      more,
      position: more && last ? [...last.keys, last.id] : undefined,
      total: from.kind === 'page' && from.total ? total : undefined,
      related: drafts.related.map(recordOf),
    }
  }
}

/** Reads a row, which holds the index of its kind and then the columns of the kind. */
function draftOf({ type, columns }: Rows, row: Row): Draft {
  const draft: Draft = {
    type,
    id: '',
    owned: false,
    attributes: {},
    linkage: {},
    sealed: [],
    keys: [],
    meta: [],
    total: undefined,
    revision: undefined,
  }
  for (let index = 0; index < columns.length; index++) {
    columns[index]?.read(row[index + 1], draft)
  }
  return draft
}

function recordOf({ type, id, owned, attributes, linkage, revision }: Draft): ResourceRecord {
  return { type, id, owned, attributes, linkage, revision }
}

async function openSealed(cipher: Cipher, drafts: readonly Draft[]): Promise<void> {
  for (const { type, id, attributes, sealed } of drafts) {
    for (const name of sealed) {
      attributes[name] = await cipher.decrypt(
        attributes[name] as string,
        sealContext(type, id, name),
      )
    }
  }
}
