import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { isWellEncoded, readQuery } from '../../../src/http/bounds.ts'
import { maxQueryLength } from '../../../src/jsonapi/request/parameters.ts'
import { type Reply, startService } from './service.ts'

const { get, post, remove } = await startService()

/** The errors of an answer that tells no more than it may (contract, section 5). */
function errorsIn(reply: Reply): { detail: string; source: Record<string, string> }[] {
  const { errors } = reply.document
  expect(reply.status).toBe(400)
  expect(errors.length).toBeLessThanOrEqual(50)
  expect(Buffer.byteLength(JSON.stringify(reply.document))).toBeLessThanOrEqual(64 * 1024)
  return errors
}

const filled = (unit: (index: number) => string, length: number) => {
  let text = ''
  for (let index = 0; text.length < length; index++) {
    text += unit(index)
  }
  return text.slice(0, length)
}

/** The length of a query string as a service measures it: percent-encoded. */
const measured = (query: string) => new URL(`http://x/?${query}`).search.length - 1
/** The beginning of a query string that may just be read. */
const readable = (query: string): string => {
  const over = measured(query) - maxQueryLength
  // A character takes three where it is encoded.
  return over <= 0 ? query : readable(query.slice(0, -Math.ceil(over / 3)))
}

/** Members whose names are one character, many times. */
const named = (character: string) =>
  Object.fromEntries(Array.from({ length: 60 }, (_, i) => [character.repeat(150) + i, 0]))

describe('an answer tells at most 50 errors in 64 KiB (contract, section 5)', () => {
  it.each<[what: string, query: string, count: number]>([
    ['items', `include=x&fields[articles]=${Array.from({ length: 800 }, (_, i) => `x${i}`)}`, 801],
    ['parameters', Array.from({ length: 800 }, (_, i) => `x${i}`).join('&'), 800],
    ['broken pairs', Array.from({ length: 500 }, (_, i) => `x${i}=%`).join('&'), 1_000],
  ])('and the last says how many there are: %s', async (_, query, count) => {
    const errors = errorsIn(await get(`/articles?${query}`))
    expect(errors).toHaveLength(50)
    expect(errors.at(-1)?.detail).toContain(`There are at least ${count} errors`)
    expect(JSON.stringify(errors.slice(0, -1))).not.toContain('at least')
  })

  it('and the last says so for bodies, too', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`x${i}`, 0]))
    const body = { data: { type: 'people', attributes } }
    const errors = errorsIn(await post('/articles', body))
    expect(errors).toHaveLength(50)
    // Beside them the wrong type and three attributes that are missing.
    expect(errors.at(-1)?.detail).toContain('There are at least 2004 errors')
  })

  it('and counts nothing where all of them are told', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `x${i}`)
    const errors = errorsIn(await get(`/articles?${names.join('&')}`))
    expect(errors).toHaveLength(50)
    expect(JSON.stringify(errors)).not.toContain('at least')
  })

  it.each<[what: string, query: string]>([
    ['a long name', filled(() => 'x', maxQueryLength)],
    ['names of control characters', filled((i) => `&${'%01'.repeat(70)}${i}`, maxQueryLength)],
    ['items of quotes', `include=${filled((i) => `,${'"'.repeat(80)}${i}`, maxQueryLength)}`],
    ['a long cursor', `page[cursor]=${filled(() => 'x', maxQueryLength)}`],
    ['a long id', `filter[id]=%00${filled(() => 'x', maxQueryLength)}`],
  ])('however it is made up: %s', async (_, query) => {
    const [first] = errorsIn(await get(`/articles?${readable(query)}`))
    expect(first?.source).toHaveProperty('parameter')
  })

  it.each<[what: string, attributes: object]>([
    ['a long name above a string of NUL', { ['x'.repeat(60_000)]: Array(50).fill('\0') }],
    ['names of control characters', named('\x01')],
    ['names of surrogates', named('\ud800')],
    ['a long value', { title: 'x'.repeat(60_000) }],
    ['a deep value', { layout: JSON.parse(`${'{"x":'.repeat(25)}0${'}'.repeat(25)}`) }],
  ])('in bodies, too, however they are made up: %s', async (_, attributes) => {
    const reply = await post('/articles', { data: { type: 'articles', attributes } })
    for (const { source } of errorsIn(reply)) {
      expect(source.pointer?.length).toBeLessThanOrEqual(256)
    }
  })

  it('for any query at all', async () => {
    const name = fc.constantFrom(
      ...['include', 'sort', 'fields[tags]', 'filter[id]', 'filter[section]', 'page[limit]'],
      ...['page[offset]', 'page[cursor]', 'x', '%', '%01', '=', ''],
    )
    const unit = fc.constantFrom(...',x%&="1', ',x', '%01', '%E2%82%AC', '&x=')
    const value = fc.array(fc.tuple(unit, fc.nat(700)), { maxLength: 8 })
    const text = value.map((runs) => runs.map(([one, times]) => one.repeat(times)).join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, text), { maxLength: 6 }), async (pairs) => {
        const query = pairs.map(([key, list]) => `${key}=${list}`).join('&')
        errorsIn(await get(`/articles?none&${query.slice(0, maxQueryLength)}`))
      }),
      { numRuns: 60 },
    )
  })
})

describe('headers are read up to 8 KiB (contract, section 6)', () => {
  const type = 'application/vnd.api+json'
  const pad = (text: string, length: number) => text.padStart(length, ', ')

  it('a longer Accept is 406, a longer Content-Type 415', async () => {
    const accept = (length: number) => get('/tags', { headers: { Accept: pad(type, length) } })
    expect((await accept(8_192)).status).toBe(200)
    expect((await accept(8_193)).status).toBe(406)
    const removal = (length: number) => {
      const profile = `${type};profile="`
      const headers = { 'Content-Type': `${profile.padEnd(length - 1, 'x')}"` }
      return remove('/articles/a1/relationships/contributors', { data: [] }, { headers })
    }
    expect((await removal(8_192)).status).toBe(404)
    expect((await removal(8_193)).status).toBe(415)
  })

  it('a longer If-None-Match matches nothing', async () => {
    const { headers } = await get('/tags')
    const tag = headers.get('ETag') ?? ''
    const read = (length: number) =>
      get('/tags', { headers: { 'If-None-Match': pad(tag, length) } })
    expect((await read(8_192)).status).toBe(304)
    expect((await read(8_193)).status).toBe(200)
  })
})

describe('percent-encoding', () => {
  /** What the query string says, and whether something is wrong with it. */
  const read = (search: string) => {
    const { sent, faults } = readQuery(search)
    return { sent, told: faults.problems.map(({ source }) => Object.values(source ?? {})[0]) }
  }

  it.each<[search: string, sent: object, told: string[]]>([
    ['', {}, []],
    ['?a', { a: '' }, []],
    ['?a=b=c&d=', { a: 'b=c', d: '' }, []],
    ['?a+b=c+d%2B%26%3D', { 'a b': 'c d+&=' }, []],
    ['?a=+%EF%BB%BF', { a: ' \ufeff' }, []],
    ['?a=+%', { a: null }, ['a']],
    ['?%61=1&a=2', { a: ['1', '2'] }, []],
    ['?%61=%', { a: null }, ['a']],
    ['?%=1', {}, ['%']],
    ['?=1&=2', { '': ['1', '2'] }, []],
    ['?a=%&a=%&a=%41%', { a: null }, ['a', 'a']],
    ['?__proto__=1', JSON.parse('{"__proto__":"1"}'), []],
  ])('is decoded in "%s"', (search, sent, told) => {
    expect(read(search)).toEqual({ sent, told })
  })

  it('is taken where decodeURIComponent takes it, and nowhere else', () => {
    const decoded = (text: string) => {
      try {
        return decodeURIComponent(text)
      } catch {
        return null
      }
    }
    const byte = fc.stringMatching(/^%[0-9a-fA-F]{2}$/)
    // Characters of two to four bytes, a surrogate, one past the last character, and two that are longer than they need be.
    const characters =
      '%C3%A9 %E2%82%AC %F0%9F%92%A9 %EF%BF%BD %ED%A0%80 %F4%90%80%80 %E0%9F%BF %C1%BF'
    const part = fc.oneof(byte, fc.constantFrom('%', 'a', ...characters.split(' ')))
    const texts = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const meant = decoded(text)
        return read(`?a=${text}`).sent.a === meant && isWellEncoded(`/${text}`) === (meant !== null)
      }),
      { numRuns: 20_000 },
    )
  })

  it('is judged without an exception for each fault', () => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent')
    const pairs = Array.from({ length: 2_000 }, (_, index) => `a=%E4${index}`)
    expect(read(`?${pairs.join('&')}`).told).toHaveLength(50)
    expect(decode.mock.results.filter(({ type }) => type === 'throw')).toEqual([])
    decode.mockRestore()
  })
})
