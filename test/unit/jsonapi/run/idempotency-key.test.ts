import { describe, expect, it } from 'vitest'
import { readIdempotencyKey } from '../../../../src/jsonapi/idempotency.ts'

describe('the header Idempotency-Key', () => {
  it('need not be there', () => {
    expect(readIdempotencyKey(undefined)).toEqual({ ok: true, value: undefined })
  })

  it.each([
    ['a', 'a'],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['!~', '!~'],
    ['a"b"', 'a"b"'],
    ['"a\\"b"', 'a"b'],
    ['k'.repeat(255), 'k'.repeat(255)],
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ])('takes %s', (header, key) => {
    expect(readIdempotencyKey(header)).toEqual({ ok: true, value: key })
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
  ])('refuses %j, and says what is allowed', (header) => {
    expect(readIdempotencyKey(header)).toEqual({
      ok: false,
      problems: [
        {
          code: 'VALUE_INVALID_FORMAT',
          detail: expect.stringContaining('A key has 1 to 255 visible ASCII characters'),
          source: { header: 'Idempotency-Key' },
        },
      ],
      omitted: 0,
    })
  })
})
