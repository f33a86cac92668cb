import { describe, expect, it } from 'vitest'
import { parseKey } from '../../../src/idempotency/idempotency.ts'

describe('the header Idempotency-Key', () => {
  it.each([
    ['a', 'a'],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['!~', '!~'],
    ['a"b"', 'a"b"'],
    ['"a\\"b"', 'a"b'],
    ['k'.repeat(255), 'k'.repeat(255)],
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ])('takes %s', (header, key) => {
    expect(parseKey(header)).toBe(key)
  })

  it.each([
    '',
    '""',
    '"a',
    '"a"b"',
    '"a\\b"',
    '"a";p=1',
    'a b',
    'a\tb',
    'é',
    'a\x7f',
    'k'.repeat(256),
  ])('refuses %j', (header) => {
    expect(parseKey(header)).toBeUndefined()
  })
})
