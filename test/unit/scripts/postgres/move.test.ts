import { getTableName } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { storedTables } from '../../../../scripts/operate/tables.ts'
import { demandReadOnly } from '../../../../scripts/postgres/move/read-only.ts'
import { migratedDatabase, rowsOf } from '../../migrations/database.ts'

it('The tables that are moved are all that the migrations make, but for the counters', () => {
  const database = migratedDatabase()
  const names = storedTables.map(({ table }) => getTableName(table))
  const made = rowsOf(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'counters'",
  )
  expect(names.toSorted()).toEqual(made.map(({ name }) => String(name)).toSorted())
})

/** Does a deployment of these versions let a move begin? */
function demanded(...versions: readonly (readonly [share: number, type: string, flag: string])[]) {
  return demandReadOnly(
    async (command, _, id) => {
      if (command === 'deployments') {
        const shares = versions.map(([percentage], nth) => ({ version_id: `${nth}`, percentage }))
        return JSON.stringify({ id: 'now', versions: shares })
      }
      const [, type, text] = versions[Number(id)] ?? []
      const variable = { type: 'plain_text', name: 'READ_ONLY', text }
      return JSON.stringify({ resources: { bindings: [variable, { type }] } })
    },
    ['--env', 'production'],
  )
}

describe('A move', () => {
  it('begins where all traffic is on D1 with READ_ONLY', async () => {
    expect(await demanded([100, 'd1', 'true'], [0, 'd1', 'false'])).toBe('now')
  })

  it.each([
    ['another version accepts writes', [10, 'd1', 'false'], 'version 1 has traffic and accepts'],
    ['another one uses PostgreSQL', [10, 'hyperdrive', 'true'], 'version 1 has traffic and does'],
  ] as const)('is refused where %s', async (_, version, words) => {
    await expect(demanded([90, 'd1', 'true'], version)).rejects.toThrow(words)
  })

  it('is refused where nothing is deployed', async () => {
    const nothing = async () => {
      throw new Error('This Worker does not exist on your account. [code: 10007]')
    }
    await expect(demandReadOnly(nothing, [])).rejects.toThrow('not deployed')
  })
})
