import { describe, expect, it } from 'vitest'
import { linesWith } from '../../support/log.ts'
import { brokenService, client, get, misconfiguredService } from '../../support/service.ts'

it('each error has the id of its request and its number in the answer, a title that belongs to its code, and a detail (contract, section 5)', async () => {
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

describe('a 500 (contract, section 5)', () => {
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
