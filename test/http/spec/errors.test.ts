import { describe, expect, it } from 'vitest'
import { linesWith } from '../../support/log.ts'
import {
  brokenService,
  client,
  get,
  misconfiguredService,
  request,
  slowService,
  uniquePerson,
} from '../../support/service.ts'
import { atOnce } from '../../support/throttled.ts'

it('each error has the id of its request and its number in the answer, a title that belongs to its code, and a detail', async () => {
  const { headers, document } = await get('/countries?include=a&x=1&y=2&fields[z]=', await client())
  const errors = document.errors ?? []
  const name = headers['x-request-id']
  expect(errors.map(({ id }) => id)).toEqual([1, 2, 3, 4].map((nth) => `${name}.${nth}`))
  const titles = new Map(errors.map(({ code, title }) => [code, title]))
  for (const { code, title, detail } of errors) {
    expect(title).toBe(titles.get(code))
    expect(title).not.toBe('')
    expect(detail).not.toBe('')
  }
  expect(new Set(titles.values()).size).toBe(titles.size)
})

describe('a detail says what to do', () => {
  it.each([
    [
      'include',
      'currencies',
      'include is sent more than once. Put all values into one, with commas between them.',
    ],
    ['page[cursor]', 'x', 'page[cursor] is sent more than once. Send it once.'],
  ])('where %s is repeated', async (name, value, detail) => {
    const query = `${name}=${value}&${name}=${value}`
    const { status, document } = await get(`/countries?${query}`, await client())
    expect([status, document.errors?.[0]?.detail]).toEqual([400, detail])
  })

  it('where an e-mail address is not ASCII', async () => {
    const { token } = await uniquePerson('users.write')
    const attributes = { fullName: 'Jörg', email: 'jörg@example.com' }
    const body = { data: { type: 'users', attributes } }
    const { document } = await request('POST', '/jsonapi/users', { token, body })
    expect(document.errors?.[0]?.detail).toContain('must be an e-mail address in ASCII')
  })

  it('where a read of one token is refused', async () => {
    const { origin } = await slowService()
    const { token } = await uniquePerson()
    const { answers } = await atOnce(15, () => get('/currencies', token, { origin }))
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.document.errors?.[0]?.detail).toContain('This request costs 1 token. ')
  })
})

describe('a 500', () => {
  it('says when to come back where a dependency failed, and tells nothing of the cause', async () => {
    const { origin, logs } = await brokenService()
    const { headers, text, document } = await get('/users', await client(), { origin })
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(text).not.toMatch(/down\.example|jwks|key set|\b503\b/i)
    const [line] = await linesWith(document.errors?.[0]?.id ?? '-', logs)
    expect(line).toContain('"level":"error"')
    expect(line).toContain('503')
  })

  it('is the answer while a variable is wrong; the log names the variable', async () => {
    const { origin, logs } = await misconfiguredService()
    const { status, document, text } = await get('/countries', await client(), { origin })
    expect(status).toBe(500)
    expect(document.errors).toMatchObject([{ code: 'INTERNAL_SERVER_ERROR' }])
    expect(text).not.toContain('CORS_ORIGINS')
    await linesWith('CORS_ORIGINS', logs)
  })
})
