import { describe, expect, it } from 'vitest'
import { maxOperations } from '../../../src/jsonapi/atomic/extension.ts'
import { parseBody } from '../../../src/jsonapi/json.ts'
import { maxIdentifiers } from '../../../src/jsonapi/request/body.ts'
import { verdictOf } from './run/readers.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const parse = (text: string) => verdictOf((faults) => parseBody(bytesOf(text), faults))

/** The code and detail of a body that cannot be read. */
const refusal = (body: Uint8Array | string) => {
  const bytes = typeof body === 'string' ? bytesOf(body) : body
  const parsed = verdictOf((faults) => parseBody(bytes, faults))
  return parsed.value
    ? 'read'
    : parsed.faults.problems.map(({ code, detail }) => `${code}: ${detail}`)[0]
}

/** Pointers of the problems of a body that can be read, each of which is a `VALUE_INVALID_FORMAT` with a detail. */
const pointers = (text: string) => {
  const { value, faults } = parse(text)
  for (const { code, detail } of faults.problems) {
    expect(code).toBe('VALUE_INVALID_FORMAT')
    expect(detail).toMatch(/^\w.*\.$/)
  }
  return value ? faults.problems.map(({ source }) => source) : 'refused'
}

describe('a body that cannot be read is a 400 INVALID_PAYLOAD', () => {
  it.each([
    ['nothing', '', 'The body is empty.'],
    ['nothing but white space', ' \n', 'The body is empty.'],
    ['half of it', '{"data":', 'The body is not JSON.'],
    ['a byte order mark within it', '{\ufeff}', 'The body is not JSON.'],
    ['an array', '[]', 'The body is not a JSON object.'],
    ['null', 'null', 'The body is not a JSON object.'],
    ['more brackets closed than opened', ']]]]{}', 'The body is not JSON.'],
  ])('such as %s', (_, body, detail) => {
    expect(refusal(body)).toBe(`INVALID_PAYLOAD: ${detail}`)
  })

  it.each([
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ])('such as bytes that are not UTF-8: %s', (_, bytes) => {
    const body = Uint8Array.from([...bytesOf('{"a":"'), ...bytes, ...bytesOf('"}')])
    expect(refusal(body)).toBe('INVALID_PAYLOAD: The body is not UTF-8.')
  })

  it('such as one over 64 KiB, counted in bytes', () => {
    const filled = (bytes: number) => `{"a":"${'é'.repeat((bytes - 8) / 2)}"}`
    expect(bytesOf(filled(65_536)).byteLength).toBe(65_536)
    expect(refusal(filled(65_536))).toBe('read')
    expect(refusal(`${filled(65_536)} `)).toBe('INVALID_PAYLOAD: The body is over 65536 bytes.')
  })

  it.each([
    ['items', (count: number) => `[${Array(count).fill(0).join()}]`],
    [
      'members',
      (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join()}}`,
    ],
    ['arrays of one item', (count: number) => `[${Array(count).fill('[0]').join()}]`, 0.5],
  ])(
    'such as one of more than 3,000 members and items, an empty one counted as one: %s',
    (_, value, share = 1) => {
      // The one member that holds them counts, too.
      const most = Math.floor((3_000 - 1) * share)
      expect(refusal(`{"a":${value(most)}}`)).toBe('read')
      expect(refusal(`{"a":${value(most + 1)}}`)).toBe(
        'INVALID_PAYLOAD: The body holds more than 3000 members and items.',
      )
    },
  )

  it('but commas and brackets inside strings are none of them', () => {
    expect(refusal(`{"a":"${',[{'.repeat(3_001)}"}`)).toBe('read')
  })

  it('and the fullest transaction holds fewer', () => {
    const address = { city: 'a', zip: 'b', doorCode: 'c' }
    const relative = { type: 'users', id: '1', meta: { relationshipType: 'SON' } }
    const perOperation = Math.ceil(maxIdentifiers / maxOperations)
    const add = {
      op: 'add',
      data: {
        type: 'users',
        lid: 'a',
        attributes: {
          fullName: 'A',
          email: 'a@example.org',
          creditCardNumber: '4242 4242 4242 4242',
          addresses: Array(20).fill(address),
        },
        relationships: {
          citizenships: { data: [] },
          placeOfBirth: { data: null },
          relatives: { data: Array(perOperation).fill(relative) },
        },
      },
    }
    expect(refusal(JSON.stringify({ 'atomic:operations': Array(maxOperations).fill(add) }))).toBe(
      'read',
    )
  })

  it.each([
    ['end with a backslash', `{"a":${'"\\"'.repeat(10_000)}"\\`],
    ['never end', `{"a":${'"\\'.repeat(20_000)}`],
  ])('and strings that %s are no JSON', (_, body) => {
    expect(refusal(body)).toContain('not JSON')
  })
})

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
    expect(parsed.faults.problems).toEqual([])
    expect(parsed.value).toEqual({ data: { a: [{ y: '@z' }] } })
  })
})
