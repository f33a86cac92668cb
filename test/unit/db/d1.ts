import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

/** The part of D1 that the service uses. */
export type Database = Pick<D1Database, 'prepare' | 'batch'>

/** What happens around one round trip: count it, delay it, fail before it or after it, or never answer. */
export type Around = (texts: readonly string[], run: () => Promise<void>) => Promise<void>

/** The limits of D1. */
const limits = {
  variableNumber: 100,
  compoundSelect: 5,
  exprDepth: 100,
  functionArg: 32,
  sqlLength: 100_000,
  length: 2_000_000,
}

/**
 * What D1 is to the service, on SQLite in this process, with the limits of D1: a batch is one transaction. It is for tests that lose,
 * delay, fail or count calls. All others have D1 itself.
 *
 * @param around happens around each round trip
 */
export function d1On(sqlite: DatabaseSync, around: Around = (_, run) => run()): Database {
  Object.assign(sqlite.limits, limits)
  const bound = new WeakMap<object, { readonly text: string; readonly all: () => unknown[] }>()
  const trip = async (texts: readonly string[], send: () => unknown) => {
    let answer: unknown
    await around(texts, async () => {
      answer = send()
    })
    return answer as never
  }
  const statementOf = (text: string, values: readonly unknown[]): D1PreparedStatement => {
    const prepared = () => sqlite.prepare(text)
    const parameters = values as readonly SQLInputValue[]
    const statement = {
      bind: (...given: unknown[]) => statementOf(text, given),
      raw: () =>
        trip([text], () => {
          const rows = prepared()
          rows.setReturnArrays(true)
          return rows.all(...parameters)
        }),
    }
    bound.set(statement, { text, all: () => prepared().all(...parameters) })
    return statement as unknown as D1PreparedStatement
  }
  return {
    prepare: (text) => statementOf(text, []),
    batch(statements) {
      const sent = statements.flatMap((statement) => bound.get(statement) ?? [])
      const texts = sent.map(({ text }) => text)
      return trip(texts, () => {
        sqlite.exec('BEGIN')
        try {
          const results = sent.map(({ all }) => ({ results: all() }))
          sqlite.exec('COMMIT')
          return results
        } catch (error) {
          sqlite.exec('ROLLBACK')
          throw error
        }
      })
    },
  }
}
