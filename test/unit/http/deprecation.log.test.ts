import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Call, Reply } from './service.ts'
import { startWritable } from './writable.ts'

let domain: Awaited<ReturnType<typeof startWritable>>
beforeAll(async () => {
  domain = await startWritable()
})

describe('the log line of a request names what it uses that is deprecated (contract, sections 19 and 20)', () => {
  /** The member `deprecated` of the line of a request. */
  const logged = async (request: Promise<Reply>): Promise<unknown> => {
    const id = (await request).headers.get('X-Request-Id')
    const lines = vi.mocked(console.log).mock.calls.map(([line]) => JSON.parse(line))
    const own = lines.filter(({ requestId }) => requestId === id)
    expect(own).toHaveLength(1)
    return own[0].deprecated
  }

  it.each<[string, string, Call, unknown]>([
    ['an operation', '/people/p01/relationships/favourite', {}, 'people.favourite.readOne'],
    [
      'an operation, though it is refused',
      '/people/p01/relationships/favourite',
      { as: 'nobody' },
      'people.favourite.readOne',
    ],
    ['an attribute', '/articles/a01', {}, 'articles.handle'],
    ['several attributes', '/articles?include=author', {}, 'articles.handle,people.born'],
    ['nothing', '/articles?fields[articles]=title', {}, undefined],
    ['nothing on a route of its own', '/tags', {}, undefined],
  ])('%s', async (_, path, call, expected) => {
    expect(await logged(domain.get(path, call))).toBe(expected)
  })

  it('each operation of a transaction, and what it sends, once', async () => {
    const attributes = { nickname: 'Yed', born: 1999 }
    const add = { op: 'add', data: { type: 'people', lid: 'y', attributes } }
    const remove = { op: 'remove', ref: { type: 'people', lid: 'y' } }
    expect(await logged(domain.transact(add, remove))).toBe('people.born,people.delete')
  })
})
