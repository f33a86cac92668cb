import type { Found, Member, Read } from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import type { Column, Draft } from './columns.ts'
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
  /** The columns of a row, behind the index of its kind. The first one is the id, but for a total. */
  readonly columns: readonly Column[]
  /** Reads a member of a relationship from the text of its columns. */
  readonly memberOf?: (text: string) => Member
}

/**
 * What a read has found, from the rows of its statement. It decrypts the sealed values that were selected, so that nothing
 * outside `src/db` sees a ciphertext.
 *
 * @throws Error when a sealed value does not decrypt
 */
export async function foundIn(
  cipher: Cipher,
  kinds: readonly Rows[],
  { from }: Read,
  rows: readonly Row[],
): Promise<Found> {
  const kindOf = (row: Row): Rows => kinds[row[0] as number] as Rows
  const rowsOf = (kind: Rows['kind']) => rows.filter((row) => kindOf(row).kind === kind)
  const told = (row: Row, what: Column['tells']) =>
    kindOf(row).columns.flatMap(({ tells }, index) => (tells === what ? [row[index + 1]] : []))
  const isLinkage = from.kind === 'linkage'
  const limit = from.kind === 'ids' ? undefined : from.limit
  const { shown, more } = firstOf(rowsOf(isLinkage ? 'member' : 'record'), limit)
  const sealed: Sealed[] = []
  const resourceOf = (row: Row) => resourceIn(kindOf(row), row, sealed)
  const records = (isLinkage ? rowsOf('record') : shown).map(resourceOf)
  const related = rowsOf('related').map(resourceOf)
  await openSealed(cipher, sealed)
  const [last] = more ? shown.slice(-1) : []
  // A first page without rows means that the total is 0.
  const [first] = [...rowsOf('total'), ...shown]
  const total = first ? (told(first, 'total')[0] as number) : 0
  return {
    records,
    ...(from.kind === 'page' && from.of && { isOrphan: rowsOf('owner').length === 0 }),
    members: isLinkage
      ? shown.flatMap((row) => kindOf(row).memberOf?.(told(row, 'member').join(':')) ?? [])
      : [],
    position: last && [...told(last, 'key').map(String), last[1] as string],
    total: from.kind === 'page' && from.total ? total : undefined,
    related,
  }
}

/** An attribute whose value is still sealed. */
interface Sealed {
  readonly record: Draft
  readonly attribute: string
}

/** The resource that a row holds. Adds the attributes to `sealed` that are to be decrypted. */
function resourceIn({ type, columns }: Rows, row: Row, sealed: Sealed[]): Draft {
  const record: Draft = {
    type,
    id: '',
    owned: false,
    attributes: {},
    linkage: {},
    revision: undefined,
  }
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index]
    const value = row[index + 1]
    column?.read?.(value, record)
    if (column?.sealed && typeof value === 'string') {
      sealed.push({ record, attribute: column.sealed })
    }
  }
  return record
}

async function openSealed(cipher: Cipher, sealed: readonly Sealed[]): Promise<void> {
  for (const { record, attribute } of sealed) {
    const { type, id, attributes } = record
    const context = sealContext(type, id, attribute)
    attributes[attribute] = await cipher.decrypt(attributes[attribute] as string, context)
  }
}
