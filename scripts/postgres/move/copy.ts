import { complaint } from '../../lib/complaint.ts'
import type { Ask } from '../../operate/database.ts'
import { type Checksums, differences, type Row, Summing } from './checksum.ts'
import { countsOf, pagesOf } from './pages.ts'
import { type Table, tablesOf } from './tables.ts'

/** A database that is moved from. */
export interface Source {
  /** For people: `D1`. */
  readonly name: string
  readonly ask: Ask
}

/** A database that is moved to. */
export interface Target extends Source {
  /**
   * Empties tables, lets them be filled, and counts anew. Where `fill` rejects, PostgreSQL is as it was before, and D1 holds a part.
   *
   * @param tables in the order in which they can be filled
   */
  replace(tables: readonly Table[], fill: (target: Filling) => Promise<void>): Promise<void>
}

/** A database that is being filled. */
interface Filling {
  readonly ask: Ask
  /** Adds rows. They may be written later, but not after `settle`. */
  insert(table: Table, rows: readonly Row[]): Promise<void>
  settle(): Promise<void>
}

/** How rows are copied. */
export interface CopyOptions {
  /** Is what the target holds now to be lost? */
  readonly empties: boolean
  readonly print: (line: string) => void
  /** The last step before what was copied stays. What it throws ends the copy as any failure does. */
  readonly last?: () => Promise<void>
  readonly tables?: readonly Table[]
  /** Rows that are read at once. */
  readonly pageSize?: number
}

/**
 * Copies all rows from one database to the other in bounded steps. The source is read once more afterwards, and the target, too: its
 * rows count only where all three are alike.
 *
 * @returns the checksums
 * @throws a complaint where the target is not empty, where the source has changed meanwhile, and where the target holds other rows
 */
export async function copy(
  source: Source,
  target: Target,
  { empties, print, last, tables = tablesOf(), pageSize }: CopyOptions,
): Promise<Checksums> {
  const written = tables.filter(({ isReference }) => !isReference)
  const present = (await countsOf(target.ask, written)).reduce((sum, rows) => sum + rows, 0)
  if (present > 0 && !empties) {
    throw complaint(
      `${target.name} is not empty: ${present} rows would be lost. Say --empty if that is meant.`,
    )
  }
  /** Reads all tables of a database. */
  const summed = async (
    { name, ask }: Source,
    take: (table: Table, rows: readonly Row[]) => Promise<void> = async () => {},
  ): Promise<Checksums> => {
    const sums = new Map<string, ReturnType<Summing['end']>>()
    for await (const [table, pages] of pagesOf(ask, tables, pageSize)) {
      const summing = new Summing()
      for await (const rows of pages) {
        summing.add(rows)
        await take(table, rows)
      }
      const sum = summing.end()
      sums.set(table.name, sum)
      print(`  ${name}: ${sum.rows} rows in ${table.name}, ${sum.digest.slice(0, 16)}`)
    }
    return sums
  }
  let copied: Checksums = new Map()
  await target.replace(tables, async (filling) => {
    print(`Copying from ${source.name} to ${target.name}`)
    copied = await summed(source, filling.insert)
    await filling.settle()
    print(`Reading ${source.name} once more`)
    const changed = differences(await summed(source), copied)
    if (changed.length > 0) {
      throw complaint(
        `${source.name} has changed while it was copied: ${changed.join('; ')}. Who writes to it? Find out, and begin again.`,
      )
    }
    print(`Reading ${target.name}`)
    const wrong = differences(await summed({ name: target.name, ask: filling.ask }), copied)
    if (wrong.length > 0) {
      throw complaint(`${target.name} holds other rows than ${source.name}: ${wrong.join('; ')}.`)
    }
    await last?.()
  })
  return copied
}
