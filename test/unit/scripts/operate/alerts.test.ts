import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judge, readRules } from '../../../../scripts/operate/rules.ts'
import { lines, logOf, requests, type Written } from './log.ts'

const { alerts } = await readRules()

const probe = (status: number, count: number) => requests(count, { operation: 'health', status })
const write = (status: number, count: number, minute = 0) =>
  requests(count, { method: 'POST', operation: 'users.create', status }, minute)
const removed = { removed: 0, steps: 1, left: false }
const callers = (count: number) =>
  Array.from({ length: count }, (_, number) =>
    requests(3, { status: 429, limit: 'refused', caller: `caller ${number}` }),
  )

/** For each alert, logs on which it fires, and logs that are one line away from that. */
const cases: Readonly<
  Record<string, { readonly fires: readonly Written[][]; readonly quiet: readonly Written[][] }>
> = {
  Unhealthy: {
    fires: [[probe(503, 2)], [probe(503, 3), probe(200, 2)]],
    quiet: [[probe(503, 1)], [probe(503, 2), probe(200, 2)], [requests(9, { status: 503 })]],
  },
  Failing: {
    fires: [[requests(5, { status: 500 }), requests(494)], [write(500, 5)]],
    quiet: [
      [requests(5, { status: 500 }), requests(495)],
      [requests(4, { status: 500 })],
      [probe(503, 100), requests(10)],
      [requests(100, { status: 429 })],
    ],
  },
  Configuration: {
    fires: [
      [
        lines('unhealthy', 1, {
          dependency: 'configuration',
          cause: 'AUTH_URL must be a URL, not ""',
        }),
      ],
    ],
    quiet: [[lines('unhealthy', 100, { dependency: 'database', cause: 'no answer in time' })]],
  },
  'Nobody gets in': {
    fires: [
      [requests(21, { status: 401 }), requests(20)],
      // The limiter slows down addresses with refused tokens: their 429s hide nothing.
      [requests(20, { status: 401 }), requests(500, { status: 429 })],
    ],
    quiet: [[requests(20, { status: 401 }), requests(20)], [requests(19, { status: 401 })]],
  },
  Overloaded: {
    fires: [
      [lines('failure', 1, { cause: 'Error: D1_ERROR: D1 DB is overloaded. Too many requests' })],
      [lines('unhealthy', 1, { dependency: 'database', cause: 'Error: overloaded' })],
      [lines('old keys not removed', 1, { cause: 'Error: overloaded' })],
    ],
    quiet: [[lines('failure', 100, { cause: 'Error: Network connection lost' })]],
  },
  'Reads: budget burns fast': {
    // 1.44 % in the hour, and still in its last 5 minutes.
    fires: [[requests(73, { status: 500 }, 59), requests(4927, {}, 59)]],
    quiet: [
      [requests(72, { status: 500 }, 59), requests(4928, {}, 59)],
      // First the short window is bad alone; an hour later, when it is over, the long one.
      [
        requests(5000, {}, 0),
        requests(80, { status: 500 }, 5),
        requests(1000, {}, 5),
        requests(1, {}, 60),
      ],
      [requests(9, { status: 500 })],
      [requests(100, { status: 429 }), requests(100, { status: 404 })],
      [write(500, 100)],
    ],
  },
  'Reads: budget burns slowly': {
    fires: [[requests(20, {}, 0), requests(31, { status: 503 }, 1400), requests(9969, {}, 1400)]],
    quiet: [
      [requests(20, {}, 0), requests(30, { status: 503 }, 1400), requests(9970, {}, 1400)],
      [
        requests(20_000, {}, 0),
        requests(31, { status: 503 }, 10),
        requests(5000, {}, 10),
        requests(1, {}, 1440),
      ],
    ],
  },
  'Writes: budget burns fast': {
    fires: [[write(500, 73, 59), write(201, 4927, 59)]],
    quiet: [
      [write(500, 72, 59), write(201, 4928, 59)],
      [requests(100, { status: 500 })],
      [write(409, 100)],
    ],
  },
  'Writes: budget burns slowly': {
    fires: [[write(500, 31), write(204, 9969)]],
    quiet: [[write(500, 30), write(204, 9970)], [write(422, 31)]],
  },
  'Fast reads: budget burns fast': {
    fires: [[requests(145, { ms: 501 }), requests(855)]],
    quiet: [[requests(144, { ms: 501 }), requests(856)], [requests(1000, { ms: 500 })]],
  },
  'Fast reads: budget burns slowly': {
    fires: [[requests(31, { ms: 501 }), requests(969)]],
    quiet: [
      [requests(30, { ms: 501 }), requests(970)],
      [requests(100, { ms: 5000, status: 500 }), requests(970)],
    ],
  },
  Slow: {
    fires: [[write(201, 979), requests(11, { ms: 501 })]],
    quiet: [[write(201, 990), requests(10, { ms: 501 })], [requests(9, { ms: 501 })]],
  },
  'Limiter degraded': {
    fires: [[lines('limiter degraded', 11, { cause: 'late' })]],
    quiet: [
      [lines('limiter degraded', 10, { cause: 'late' })],
      [
        lines('limiter degraded', 6, { cause: 'late' }),
        lines('limiter degraded', 6, { cause: 'late' }, 5),
      ],
    ],
  },
  Retries: {
    fires: [[requests(10, { attempts: 2 }), requests(989)]],
    quiet: [[requests(10, { attempts: 2 }), requests(990)], [requests(9, { attempts: 3 })]],
  },
  'Keys pile up': {
    fires: [[requests(1), requests(1, {}, 59)]],
    quiet: [
      // Too short to tell.
      [requests(1), requests(1, {}, 58)],
      [requests(1), lines('old keys removed', 1, removed, 30), requests(1, {}, 89)],
    ],
  },
  Refusals: { fires: [callers(21)], quiet: [callers(20)] },
  Flood: {
    fires: [[requests(2, { limit: 'refused', status: 429 }), requests(1, { untold: 99_999 })]],
    quiet: [[requests(1, { limit: 'refused', status: 429 }), requests(1, { untold: 99_999 })]],
  },
  Scans: {
    fires: [[requests(1, { rowsRead: 20_001 })]],
    quiet: [[requests(100, { rowsRead: 20_000 })]],
  },
  Probing: {
    fires: [[requests(101, { status: 403, caller: 'one' }), requests(9, { caller: 'two' })]],
    quiet: [
      [
        requests(100, { status: 403, caller: 'one' }),
        requests(100, { status: 403, caller: 'two' }),
        requests(100, { status: 200, caller: 'one' }),
      ],
    ],
  },
  Undone: {
    fires: [[requests(301, { status: 404, undone: 3, caller: 'one' }), requests(9)]],
    quiet: [
      [
        requests(300, { status: 409, undone: 3, caller: 'one' }),
        requests(300, { status: 409, undone: 3, caller: 'two' }),
        requests(300, { status: 404, caller: 'one' }),
      ],
    ],
  },
  'Filling up': {
    fires: [[lines('old keys removed', 1, { ...removed, bytes: 7_000_000_001 })]],
    quiet: [[lines('old keys removed', 6, { ...removed, bytes: 7_000_000_000 })]],
  },
}

const alertOf = (name: string) => {
  const alert = alerts.find((one) => one.name === name)
  expect(alert).toBeDefined()
  return alert as (typeof alerts)[number]
}

describe('The alerts on log lines', () => {
  it('are all tried here, and each has a name of its own', () => {
    expect(Object.keys(cases)).toEqual(alerts.map(({ name }) => name))
  })

  it.each(Object.keys(cases))('include "%s", which fires beyond its bound', (name) => {
    for (const written of cases[name]?.fires ?? []) {
      expect(judge(alertOf(name), logOf(...written)).fires).toBe(true)
    }
  })

  it.each(Object.keys(cases))('include "%s", which is quiet up to its bound', (name) => {
    for (const written of cases[name]?.quiet ?? []) {
      expect(judge(alertOf(name), logOf(...written)).fires).toBe(false)
    }
  })

  it('are quiet on an empty log, and on one of good requests', () => {
    for (const log of [logOf(), logOf(requests(1000), write(201, 1000))]) {
      expect(alerts.filter((alert) => judge(alert, log).fires)).toEqual([])
    }
  })

  it('count a line with a share as all the lines that it stands for', () => {
    const line = fc.record({
      status: fc.constantFrom(200, 401, 403, 500),
      method: fc.constantFrom('GET', 'POST'),
      caller: fc.constantFrom('one', 'two'),
      weight: fc.integer({ min: 1, max: 5 }),
      minute: fc.integer({ min: 0, max: 20 }),
    })
    const check = fc.property(fc.array(line, { maxLength: 60 }), (made) => {
      const sampled = made.map(({ weight, minute, ...members }) =>
        requests(1, { ...members, share: 1 / weight }, minute),
      )
      const whole = made.map(({ weight, minute, ...members }) => requests(weight, members, minute))
      // Different callers have no weight.
      for (const alert of alerts.filter(({ name }) => name !== 'Refusals')) {
        expect(judge(alert, logOf(...sampled))).toEqual(judge(alert, logOf(...whole)))
      }
    })
    fc.assert(check, { numRuns: 20 })
  })

  it('tell the figures of the worst minute, when that ended, and whose lines they are', () => {
    const found = judge(
      alertOf('Probing'),
      logOf(
        requests(1, { status: 403, caller: 'one' }),
        requests(101, { status: 403, caller: 'two' }, 4),
      ),
    )
    const at = Date.UTC(2026, 10, 21, 12, 5)
    expect(found).toEqual({ fires: true, figures: '101', who: 'two', at })
    const failing = judge(alertOf('Failing'), logOf(requests(5, { status: 500 }), requests(5)))
    expect(failing.figures).toBe('50 % and 5')
  })

  it('take all lines of a log without times as written in one minute', () => {
    const { lines: written } = logOf(requests(5, { status: 500 }), requests(1, {}, 500))
    const log = { lines: written.map((each) => ({ ...each, time: 0 })), isTimed: false, others: 0 }
    expect(judge(alertOf('Failing'), log)).toMatchObject({ fires: true, at: 0 })
  })

  it('are in LogQL of which no part is passed over', () => {
    const counted = '(count_over_time({a="b"} | json [5m]))'
    for (const query of ['rate({a="b"} | json [5m]) > bool 1', `1 - ${counted} / ${counted}`]) {
      expect(() => judge({ query }, logOf(requests(1)))).toThrow('is not understood: ')
    }
  })
})
