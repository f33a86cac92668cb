import { describe, expect, it } from 'vitest'
import { parseBody } from '../../../src/jsonapi/json.ts'
import { verdictOf } from './run/readers.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const parse = (text: string) => verdictOf((faults) => parseBody(bytesOf(text), faults))

/** How a body is refused; `read` if it is not. */
const refusal = (body: Uint8Array | string) => {
  const bytes = typeof body === 'string' ? bytesOf(body) : body
  const { value, faults } = verdictOf((faults) => parseBody(bytes, faults))
  return value ? 'read' : faults.kept.map(({ code, source }) => [code, source]).join()
}
const refused = 'INVALID_PAYLOAD,'

// test/http/api/writes/bodies.test.ts has the others.
describe('a body that cannot be read is a 400 INVALID_PAYLOAD', () => {
  it.each([
    ['nothing', ''],
    ['nothing but white space', ' \n'],
    ['a byte order mark within it', '{\ufeff}'],
    ['null', 'null'],
    ['more brackets closed than opened', ']]]]{}'],
    [
      'an encoded surrogate',
      Uint8Array.of(...bytesOf('{"a":"'), 0xed, 0xa0, 0x80, ...bytesOf('"}')),
    ],
    ['strings that end with a backslash', `{"a":${'"\\"'.repeat(10_000)}"\\`],
    ['strings that never end', `{"a":${'"\\'.repeat(20_000)}`],
  ])('such as %s', (_, body) => {
    expect(refusal(body)).toBe(refused)
  })

  it('such as one over 64 KiB, counted in bytes', () => {
    const filled = `{"a":"${'é'.repeat((65_536 - 8) / 2)}"}`
    expect([filled, `${filled} `].map(refusal)).toEqual(['read', refused])
  })

  it.each([
    ['items', (count: number) => `[${Array(count).fill(0).join()}]`],
    ['members', (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`)}}`],
    ['arrays of one item', (count: number) => `[${Array(count).fill('[0]').join()}]`, 0.5],
  ])(
    'such as one of more than 3,000 members and items, an empty one counted as one: %s',
    (_, value, share = 1) => {
      // The one member that holds them counts, too.
      const most = Math.floor((3_000 - 1) * share)
      const bodies = [most, most + 1].map((count) => `{"a":${value(count)}}`)
      expect(bodies.map(refusal)).toEqual(['read', refused])
    },
  )

  it('but commas and brackets inside strings are none of them', () => {
    expect(refusal(`{"a":"${',[{'.repeat(3_001)}"}`)).toBe('read')
  })
})

/** Pointers of the problems of a body that can be read. */
const pointers = (text: string) => {
  const { value, faults } = parse(text)
  return value ? faults.kept.map(({ source }) => source) : 'refused'
}

describe('what no store keeps is told at its pointer', () => {
  it.each([
    ['{"data":{"a":"x\\ud800y"}}', [{ pointer: '/data/a' }]],
    ['{"data":["ok","\\u0000"]}', [{ pointer: '/data/1' }]],
    ['{"a/b~c":"\\u0000"}', [{ pointer: '/a~1b~0c' }]],
    ['{"a":"\\u0000","b":{"c":"\\ud800"}}', [{ pointer: '/a' }, { pointer: '/b/c' }]],
    ['{"a":{"x\\u0000":1}}', [{ pointer: '/a/x\0' }]],
    ['{"a":{"\\udfff":1}}', [{ pointer: '/a/\ufffd' }]],
    ['{"a":{"__proto__":{"admin":true}}}', [{ pointer: '/a/__proto__' }]],
    ['{"__proto__":1}', [{ pointer: '/__proto__' }]],
    ['{"a":"\\ud83d\\ude00"}', []],
    ['{"a":"\\ufffd"}', []],
  ])('as in %s', (body, expected) => {
    expect(pointers(body)).toEqual(expected)
  })

  it('and never reaches a prototype', () => {
    const parsed = parse('{"__proto__":{"admin":true},"constructor":1,"a":{"__proto__":null}}')
    expect(parsed.value).toMatchObject({ constructor: 1, a: {} })
    expect(Object.hasOwn(parsed.value ?? {}, '__proto__')).toBe(false)
    expect(({} as { admin?: unknown }).admin).toBeUndefined()
  })

  it('and members that start with @ are dropped, wherever they are (JSON:API 1.1, "Member Names")', () => {
    const parsed = parse('{"@context":"\\u0000","data":{"@id":[],"a":[{"@x":1,"y":"@z"}]}}')
    expect(parsed.faults.kept).toEqual([])
    expect(parsed.value).toEqual({ data: { a: [{ y: '@z' }] } })
  })
})
