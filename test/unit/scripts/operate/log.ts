import type { Log } from '../../../../scripts/operate/read-log.ts'
import type { LogEvent, LogFields } from '../../../../src/http/log.ts'

/** Lines to put into a log: what they tell, how many there are, and the minute in which they are written. */
export interface Written {
  readonly event: LogEvent
  readonly members: Readonly<Record<string, unknown>>
  readonly count: number
  readonly minute: number
}

/** A read that is answered with 200 after 5 ms, unless its members say otherwise. */
export function requests(
  count: number,
  members: Partial<LogFields<'request'>> = {},
  minute = 0,
): Written {
  const usual = { method: 'GET', operation: 'users.list', status: 200, ms: 5, attempts: 1 }
  return { event: 'request', members: { ...usual, ...members }, count, minute }
}

export function lines<Event extends LogEvent>(
  event: Event,
  count: number,
  members: Partial<LogFields<Event>>,
  minute = 0,
): Written {
  return { event, members, count, minute }
}

const start = Date.UTC(2026, 10, 21, 12)

/** A log that tells times. */
export function logOf(...written: readonly Written[]): Log {
  const all = written.flatMap(({ event, members, count, minute }) =>
    Array.from({ length: count }, () => ({
      time: start + minute * 60_000,
      event,
      members: { event, ...members },
    })),
  )
  return { lines: all.toSorted((a, b) => a.time - b.time), isTimed: true, others: 0 }
}
