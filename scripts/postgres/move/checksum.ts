import { createHash } from 'node:crypto'

/** A row as both databases give it: the values of the columns in the order of their declaration. */
export type Row = readonly (string | number | null)[]

/** What is compared of a table: how many rows it has, and a digest of all of them. */
export interface Checksum {
  readonly rows: number
  readonly digest: string
}

/**
 * Adds up the rows of a table, which come in the order of its primary key: SHA-256 over a line of JSON for each row, an array with the
 * text of each value, or null. So it is alike for both databases, and no two tables that differ have the same.
 */
export class Summing {
  readonly #hash = createHash('sha256')
  #rows = 0

  add(rows: readonly Row[]): void {
    this.#rows += rows.length
    for (const row of rows) {
      const texts = row.map((value) => (value === null ? null : String(value)))
      this.#hash.update(`${JSON.stringify(texts)}\n`)
    }
  }

  /** The checksum; nothing can be added afterwards. */
  end(): Checksum {
    return { rows: this.#rows, digest: this.#hash.digest('hex') }
  }
}

/** Checksums by the names of their tables. */
export type Checksums = ReadonlyMap<string, Checksum>

/** Where the checksums of two databases differ, for people: `users has 5 rows, not 46`; empty where they do not. */
export function differences(found: Checksums, wanted: Checksums): readonly string[] {
  return [...wanted].flatMap(([table, { rows, digest }]) => {
    const other = found.get(table)
    if (other?.rows !== rows) {
      return [`${table} has ${other?.rows ?? 'no'} rows, not ${rows}`]
    }
    return other.digest === digest ? [] : [`${table} has ${rows} rows, of which some differ`]
  })
}
