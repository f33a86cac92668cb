import { expect, it } from 'vitest'
import { terminalLine } from '../../../../scripts/start/log-line.ts'

const about = { level: 'info', event: 'request', requestId: 'an-id', method: 'GET', status: 200 }

it.each([
  [JSON.stringify({ ...about, operation: 'users.list', ms: 12 }), 'GET users.list 200 12 ms an-id'],
  [JSON.stringify({ ...about, ms: 12 }), 'GET (no operation) 200 12 ms an-id'],
  ['{"event":"failure"}', '{"event":"failure"}'],
  ['{ broken', '{ broken'],
])(
  'A terminal shows a line about a request in short, and any other as it is: %s',
  (line, shown) => {
    expect(terminalLine(line)).toBe(shown)
  },
)
