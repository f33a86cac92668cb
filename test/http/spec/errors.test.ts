import { describe, expect, it } from 'vitest'
import { client, get, request, uniquePerson } from '../../support/service.ts'

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
})
