import { describe, expect, it } from 'vitest'
import { costIn, plansIn } from '../../../../lab/bench/data/plans.ts'

/** A line of the log, and a plan as `auto_explain` writes it below. */
function logged(message: string, plan?: object): string[] {
  const json = plan ? JSON.stringify({ 'Query Text': 'SELECT …', Plan: plan }, null, 2) : ''
  const below = json.split('\n').filter(Boolean)
  return [`2026-11-24 15:00:00.000 UTC [7] LOG:  ${message}`, ...below.map((line) => `\t${line}`)]
}

const scan = (rows: number, loops: number, more = {}) => ({
  'Node Type': 'Index Scan',
  'Relation Name': 'users',
  'Actual Rows': rows,
  'Actual Loops': loops,
  ...more,
})

describe('What a plan tells', () => {
  it('is the rows that scans of tables have looked at in all loops, those that were removed included', () => {
    const plan = {
      'Node Type': 'Nested Loop',
      'Actual Rows': 900,
      'Actual Loops': 1,
      'Shared Hit Blocks': 40,
      'Shared Read Blocks': 2,
      Plans: [
        scan(20, 1, { 'Shared Hit Blocks': 30 }),
        scan(1.5, 20, { 'Rows Removed by Filter': 0.5, 'Rows Removed by Index Recheck': 1 }),
        { 'Node Type': 'CTE Scan', 'CTE Name': 'page', 'Actual Rows': 20, 'Actual Loops': 1 },
        {
          ...scan(5, 1, { 'Node Type': 'Bitmap Heap Scan' }),
          Plans: [{ 'Node Type': 'Bitmap Index Scan', 'Actual Rows': 5, 'Actual Loops': 1 }],
        },
      ],
    }
    const lines = logged('duration: 1.250 ms  plan:', plan)
    expect(costIn(plansIn(lines))).toEqual({
      read: 20 + 3 * 20 + 5,
      written: 0,
      pages: 42,
      ms: 1.25,
    })
  })

  it('is that of every statement between other lines of the log', () => {
    const lines = [
      ...logged('connection authorized'),
      ...logged('duration: 1 ms  plan:', scan(3, 1, { 'Shared Hit Blocks': 4 })),
      ...logged('duration: 2 ms  plan:', scan(5, 1, { 'Shared Read Blocks': 6 })),
      ...logged('mark 1;'),
    ]
    expect(costIn(plansIn(lines))).toEqual({ read: 8, written: 0, pages: 10, ms: 3 })
  })
})
