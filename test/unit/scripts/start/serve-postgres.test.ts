import { describe, expect, it } from 'vitest'
import { demandDemo } from '../../../../scripts/start/serve-postgres.ts'

/** A database that has tables for users and no demo data, or not; and users, or none. What it was asked stands in `asked`. */
function database({ isOther, hasUsers }: { isOther: boolean; hasUsers: boolean }) {
  const asked: string[] = []
  return {
    asked,
    async query(sql: string) {
      asked.push(sql)
      const isFound = sql.includes('to_regclass') ? isOther : hasUsers
      return { rows: isFound ? [{}] : [] }
    },
  }
}

describe('The database that npm start -- --database postgres is pointed at', () => {
  it('is refused where it holds users and no demo data, and only read', async () => {
    const client = database({ isOther: true, hasUsers: true })
    await expect(demandDemo(client)).rejects.toThrow('holds users and no demo data')
    expect(client.asked).toHaveLength(2)
    expect(client.asked.every((sql) => sql.startsWith('SELECT '))).toBe(true)
  })

  it.each([
    { isOther: false, hasUsers: true },
    { isOther: true, hasUsers: false },
  ])('is taken where it holds demo data, or nobody: %j', async (kind) => {
    await expect(demandDemo(database(kind))).resolves.toBeUndefined()
  })
})
