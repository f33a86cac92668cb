import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Alert, linesFor } from '../../../../../scripts/operate/monitoring/alert.ts'
import { alerts } from '../../../../../scripts/operate/monitoring/alerts.ts'
import { figureOf, judge } from '../../../../../scripts/operate/monitoring/evaluate.ts'
import { objectives } from '../../../../../scripts/operate/monitoring/objectives.ts'
import { lines, linesOf, sumOf } from '../../../../../scripts/operate/monitoring/query.ts'
import { logLines } from '../../../../../src/http/log.ts'
import { logOf, requests } from './log.ts'

const all = lines('all', ['request'])
const failed = linesOf(all, 'failed', ['status', '>=', 500])
const share: Alert = {
  name: 'share',
  figure: { kind: 'share', of: failed, among: all },
  minutes: [10, 2],
  bound: { above: 0.5 },
  atLeast: 2,
  wakes: true,
  first: '',
}

describe('An alert on a log', () => {
  it('counts a line with a share as all the lines that it stands for', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            status: fc.constantFrom(200, 401, 403, 500),
            method: fc.constantFrom('GET', 'POST'),
            caller: fc.constantFrom('one', 'two'),
            weight: fc.integer({ min: 1, max: 5 }),
            minute: fc.integer({ min: 0, max: 20 }),
          }),
          { maxLength: 60 },
        ),
        (made) => {
          const sampled = logOf(
            ...made.map(({ weight, minute, ...members }) =>
              requests(1, { ...members, share: 1 / weight }, minute),
            ),
          )
          const whole = logOf(
            ...made.map(({ weight, minute, ...members }) => requests(weight, members, minute)),
          )
          for (const alert of [...alerts, share]) {
            expect(judge(alert, sampled)).toEqual(judge(alert, whole))
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('has no figure where its share is beyond the bound and made of too few lines', () => {
    const few = judge(share, logOf(requests(1, { status: 500 })))
    expect(few).toMatchObject({ fires: false, figures: [], isTooFew: true })
    const enough = judge(share, logOf(requests(2, { status: 500 })))
    expect(enough).toMatchObject({ fires: true, figures: [1, 1], isTooFew: false })
    const healthy = judge(share, logOf(requests(1)))
    expect(healthy).toMatchObject({ fires: false, figures: [0, 0], isTooFew: false })
  })

  it('tells the figures of a window that has enough lines rather than one that has too few', () => {
    const log = logOf(
      requests(1, { status: 500 }),
      requests(9, {}, 20),
      requests(1, { status: 500 }, 20),
    )
    expect(judge(share, log)).toMatchObject({ fires: false, figures: [0.1, 0.1], isTooFew: false })
  })

  it('adds what a member counts as it is, whatever the share of its line', () => {
    const untold = sumOf('untold', ['request'], 'untold')
    const log = logOf(requests(1, { untold: 7, share: 0.1 }), requests(1, { share: 0.1 }))
    expect(figureOf({ kind: 'number', of: untold }, log)).toBe(7)
    expect(figureOf({ kind: 'number', of: all, and: untold }, log)).toBe(27)
  })

  it('fires only while the figures of all its windows are beyond the bound', () => {
    const bad = (minute: number, count = 10) => requests(count, { status: 500 }, minute)
    expect(judge(share, logOf(bad(0))).fires).toBe(true)
    // The short window is bad alone, then the long one alone.
    expect(judge(share, logOf(requests(30), bad(3))).fires).toBe(false)
    expect(judge(share, logOf(requests(1), bad(0, 0), requests(5, {}, 5))).fires).toBe(false)
  })

  it('tells the figures of its worst minute, and when that ended', () => {
    const log = logOf(
      requests(10),
      requests(3, { status: 500 }, 4),
      requests(1, {}, 4),
      requests(50, {}, 9),
    )
    expect(judge(share, log)).toMatchObject({
      fires: false,
      figures: [3 / 14, 3 / 4],
      at: Date.UTC(2026, 10, 21, 12, 5),
    })
  })

  it('does not fire for fewer lines than it asks for', () => {
    expect(judge(share, logOf(requests(1, { status: 500 }))).fires).toBe(false)
    expect(judge(share, logOf(requests(2, { status: 500 }))).fires).toBe(true)
  })

  it('has no figure where a share is of nothing', () => {
    expect(judge(share, logOf())).toMatchObject({ fires: false, figures: [] })
    expect(figureOf(share.figure, logOf())).toBeUndefined()
  })

  it('takes all lines of a log without times as written in one minute', () => {
    const { lines: written } = logOf(requests(2, { status: 500 }), requests(1, {}, 500))
    const log = { lines: written.map((line) => ({ ...line, time: 0 })), isTimed: false, others: 0 }
    expect(judge(share, log)).toMatchObject({ fires: true, figures: [2 / 3, 2 / 3], at: 0 })
  })
})

describe('A query over log lines', () => {
  it('cannot be written about a member that the lines do not have, nor a value of another kind', () => {
    const wrong = [
      // @ts-expect-error Lines about requests have no member of this name.
      lines('wrong', ['request'], ['duration', '>', 1]),
      // @ts-expect-error Not all of these lines have a status.
      lines('wrong', ['request', 'failure'], ['status', '>', 1]),
      // @ts-expect-error A status is a number.
      lines('wrong', ['request'], ['status', '=', '500']),
      // @ts-expect-error There are no such lines.
      lines('wrong', ['answer']),
      // @ts-expect-error Lines about failures have no status.
      linesOf(lines('failures', ['failure']), 'wrong', ['status', '>', 1]),
      lines('right', ['request', 'failure'], ['operation', '=', 'users.list']),
    ]
    expect(wrong).toHaveLength(6)
  })

  const queries = [
    ...alerts.flatMap(linesFor),
    ...objectives.flatMap(({ bad, among }) => [bad, among]),
  ]

  it('has a name that no other query has', () => {
    const first = new Map(queries.map((query) => [query.called, query]))
    for (const query of queries) {
      expect(query).toEqual(first.get(query.called))
    }
  })

  it('of each alert and objective tests members that hold such values', () => {
    for (const { called, events, where } of queries) {
      const tests = where.flatMap((condition) =>
        'anyOf' in condition ? condition.anyOf : [condition],
      )
      for (const event of events) {
        const kinds: Readonly<Record<string, string>> = logLines[event]
        const told = tests.map(([member, , value]) => [member, typeof value])
        expect({ called, told }).toEqual({
          called,
          told: told.map(([member = '']) => [member, kinds[member]]),
        })
      }
    }
  })
})
