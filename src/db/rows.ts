import type { Read } from '../jsonapi/run/plan.ts'
import type { Found, Member } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import type { Column, Line } from './columns.ts'
import type { Row } from './connection.ts'
import { firstOf } from './page.ts'

/** The context that a sealed value is bound to: a ciphertext that is moved to another resource does not decrypt. */
export function sealContext(type: string, id: string, attribute: string): string {
  return `${type}/${id}/${attribute}`
}

/** The rows of one kind in the result of a read. */
export interface Rows {
  /** What a row holds. `owner`: the resource that has the relationship which a page is read through. */
  readonly kind: 'record' | 'member' | 'owner' | 'total' | 'related'
  /** The type of the resources. */
  readonly type: string
  readonly columns: readonly Column[]
}

/**
 * What a read has found, from the rows of its statement. It decrypts the sealed values that were selected, so that nothing
 * outside `src/db` sees a ciphertext.
 *
 * @param kinds each row begins with the index of its kind, and the columns of the kind follow
 * @throws Error when a sealed value does not decrypt
 */
export async function foundIn(
  cipher: Cipher,
  kinds: readonly Rows[],
  { from }: Read,
  rows: readonly Row[],
): Promise<Found> {
  const byKind = Map.groupBy(rows, ([index]) => index)
  const linesOf = (kind: Rows['kind']): Line[] =>
    kinds.flatMap((each, index) =>
      each.kind === kind ? (byKind.get(index) ?? []).map((row) => lineOf(each, row)) : [],
    )
  const isLinkage = from.kind === 'linkage'
  const limit = from.kind === 'ids' ? undefined : from.limit
  const { shown, more } = firstOf(linesOf(isLinkage ? 'member' : 'record'), limit)
  const records = isLinkage ? linesOf('record') : shown
  const related = linesOf('related')
  const last = more ? shown.at(-1) : undefined
  for (const line of [...records, ...related]) {
    await openSealed(cipher, line)
  }
  return {
    records: records.map(({ record }) => record),
    ...(from.kind === 'page' && from.of && { isOrphan: linesOf('owner').length === 0 }),
    members: isLinkage ? shown.map(memberOf) : [],
    more,
    position: last && [...last.keys, last.record.id],
    // A first page without rows means that the total is 0.
    total:
      from.kind === 'page' && from.total
        ? ([...linesOf('total'), ...shown][0]?.total ?? 0)
        : undefined,
    related: related.map(({ record }) => record),
  }
}

function lineOf({ type, columns }: Rows, row: Row): Line {
  const line: Line = {
    record: { type, id: '', owned: false, attributes: {}, linkage: {}, revision: undefined },
    keys: [],
    sealed: [],
    meta: undefined,
    total: undefined,
  }
  for (const [index, { read }] of columns.entries()) {
    read(row[index + 1], line)
  }
  return line
}

function memberOf({ record: { id }, meta }: Line): Member {
  return meta ? { id, meta } : { id }
}

async function openSealed(cipher: Cipher, { record, sealed }: Line): Promise<void> {
  const { type, id, attributes } = record
  for (const name of sealed) {
    attributes[name] = await cipher.decrypt(attributes[name] as string, sealContext(type, id, name))
  }
}
