import { describe, expect, it, vi } from 'vitest'
import { data, startReadable } from './readable.ts'

const service = await startReadable()

/** Everything that an answer and the log say, as one text. */
const said = (reply: { headers: Headers; document: unknown }) =>
  JSON.stringify([
    [...reply.headers],
    reply.document,
    vi.mocked(console.log).mock.calls,
    service.failures.mock.calls,
  ])

describe('a filter inherits the access of its attribute (contract, section 4)', () => {
  it('finds and counts for a caller who may read the attribute', async () => {
    const reply = await service.get('/articles?filter[handle]=HANDLE-A03', { as: 'reader' })
    expect(data(reply)).toEqual(['articles/a03'])
    expect(reply.document.meta).toEqual({ 'pagination.totalItems': 1 })
  })

  it.each([
    'filter[handle]=handle-a03',
    'filter[handle]=nobody',
    'filter[handle]=',
    'filter[handle]=handle-a03&filter[id]=a03',
    'filter[handle]=handle-a03&sort=title&page[limit]=1',
  ])(
    'answers a caller who may not read it with a 400 and no total, whatever is stored: %s',
    async (query) => {
      const before = service.roundTrips.length
      const reply = await service.get(`/articles?${query}`, { as: 'client' })
      expect(reply.status).toBe(400)
      expect(reply.document).toEqual({
        jsonapi: { version: '1.1' },
        errors: [
          {
            id: expect.any(String),
            status: '400',
            code: 'INVALID_ENUM_VALUE',
            title: 'Value is not one of the allowed values',
            detail: 'This caller may not filter by handle. Allowed: id, section.',
            source: { parameter: 'filter[handle]' },
          },
        ],
      })
      expect(service.roundTrips).toHaveLength(before)
      expect(reply.headers.has('ETag')).toBe(false)
      expect(said(reply)).not.toContain('handle-a03')
    },
  )

  it('is told beside all else: a sort, a cursor of another query, and whatever is wrong', async () => {
    const first = await service.get('/articles?sort=handle&page[limit]=1', { as: 'reader' })
    const cursor = first.document.meta['pagination.nextCursor']
    const query = `filter[handle]=x&sort=-handle&page[cursor]=${cursor}&include=nothing&a=%25%E4`
    const reply = await service.get(`/articles?${query}`, { as: 'client' })
    expect(reply.document.errors.map(({ code, source }: never) => [code, source])).toEqual([
      ['INVALID_ENUM_VALUE', { parameter: 'sort' }],
      ['INVALID_ENUM_VALUE', { parameter: 'filter[handle]' }],
      ['VALUE_INVALID_FORMAT', { parameter: 'a' }],
      ['INVALID_ENUM_VALUE', { parameter: 'include' }],
      ['UNEXPECTED_PARAMETER', { parameter: 'a' }],
      ['VALUE_INVALID_FORMAT', { parameter: 'page[cursor]' }],
    ])
  })

  it('compares a cursor with nothing while sort or filters are not valid', async () => {
    const first = await service.get('/articles?sort=title&page[limit]=1', { as: 'client' })
    const cursor = first.document.meta['pagination.nextCursor']
    for (const wrong of ['sort=title,nothing', 'sort=title,%E4', 'sort=title&filter[id]=,']) {
      const { document } = await service.get(`/articles?${wrong}&page[cursor]=${cursor}`)
      expect(document.errors).toHaveLength(1)
      expect(document.errors[0].source.parameter).not.toBe('page[cursor]')
    }
  })
})
