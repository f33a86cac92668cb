import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keyLifetime } from '../../../src/db/keys.ts'
import { article, dump, insert } from '../db/second-domain/domain.ts'
import { startService } from './service.ts'
import { identifier, startWritable } from './writable.ts'

let service: Awaited<ReturnType<typeof startWritable>>

beforeEach(async () => {
  service = await startWritable()
})

const data = {
  type: 'articles',
  attributes: { title: 'Made', handle: 'made', section: 'News', notes: 'quite secret' },
}
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

/** Runs a call, and counts its round trips to the database. */
async function tripsOf<Result>(call: () => Promise<Result>): Promise<[Result, number]> {
  const before = service.roundTrips.length
  const result = await call()
  return [result, service.roundTrips.length - before]
}

const create = (key: string, body: unknown = { data }, path = '/articles') =>
  service.post(path, body, keyed(key))

describe('a create that is sent again with its key (contract, section 12)', () => {
  it('gets the same answer, with Idempotency-Replayed, and writes nothing', async () => {
    const [first, trips] = await tripsOf(() => create('k1'))
    expect(first.status).toBe(201)
    expect(first.headers.get('Idempotency-Replayed')).toBeNull()
    expect(trips).toBe(1)
    const before = await dump(service.d1)
    const [second, tripsAgain] = await tripsOf(() => create('k1'))
    expect(second.status).toBe(201)
    expect(second.document).toEqual(first.document)
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
    for (const name of ['Location', 'Cache-Control', 'Link']) {
      expect(second.headers.get(name), name).toBe(first.headers.get(name))
    }
    expect(tripsAgain).toBe(2)
    expect(await dump(service.d1)).toEqual(before)
  })

  it('is shown the resource as it is now', async () => {
    const { id } = (await create('k1')).document.data
    const attributes = { title: 'Changed since' }
    await service.patch(`/articles/${id}`, { data: { type: 'articles', id, attributes } })
    expect((await create('k1')).document.data.attributes.title).toBe('Changed since')
  })

  it('is the same with quotes around its key', async () => {
    const { document } = await create('k1')
    const again = await create('"k1"')
    expect(again.document).toEqual(document)
    expect(again.headers.get('Idempotency-Replayed')).toBe('true')
  })

  it('answers 409 where what it created is gone', async () => {
    const { id } = (await create('k1')).document.data
    await service.remove(`/articles/${id}`)
    const { status, errors } = await service.refused(() => create('k1'))
    expect(status).toBe(409)
    expect(errors).toMatchObject([{ code: 'CONFLICT', source: { header: 'Idempotency-Key' } }])
    expect(errors[0].detail).toContain('articles')
  })

  it.each<[string, body: unknown, path: string]>([
    ['body', { data: { ...data, attributes: { ...data.attributes, title: 'T' } } }, '/articles'],
    ['query', { data }, '/articles?fields[articles]=title'],
    ['path', { data: { type: 'people', attributes: { nickname: 'Zed', born: 1999 } } }, '/people'],
  ])('answers 409 at the header where its %s is another one', async (_, body, path) => {
    await create('k1')
    const { status, errors } = await service.refused(() => create('k1', body, path))
    expect(status).toBe(409)
    expect(errors).toMatchObject([{ code: 'CONFLICT', source: { header: 'Idempotency-Key' } }])
  })

  it('is a create of its own when another caller sends it', async () => {
    const { document } = await create('k1')
    const handle = 'another'
    const other = { data: { ...data, attributes: { ...data.attributes, handle } } }
    const bobs = await service.post('/articles', other, { as: 'bob', ...keyed('k1') })
    expect(bobs.status).toBe(201)
    expect(bobs.document.data.id).not.toBe(document.data.id)
    expect(bobs.headers.get('Idempotency-Replayed')).toBeNull()
  })

  it('is a new one after 24 hours', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() - keyLifetime)
    const first = await create('k1')
    vi.mocked(Date.now).mockRestore()
    await service.remove(`/articles/${first.document.data.id}`)
    const second = await create('k1')
    expect(second.status).toBe(201)
    expect(second.document.data.id).not.toBe(first.document.data.id)
    expect(second.headers.get('Idempotency-Replayed')).toBeNull()
  })

  it('is a new one where it failed before, since only successes are stored', async () => {
    const relationships = { author: { data: identifier('people', 'p99') } }
    const dangling = await service.refused(() => create('k1', { data: { ...data, relationships } }))
    expect(dangling.status).toBe(404)
    await insert(service.d1, 'articles', article('x', { handle: 'made' }))
    expect((await service.refused(() => create('k1'))).status).toBe(409)
    await service.d1.prepare("DELETE FROM articles WHERE article_no = 'x'").raw()
    const made = await create('k1')
    expect(made.status).toBe(201)
    expect(made.headers.get('Idempotency-Replayed')).toBeNull()
  })

  it('is another request where the members of its body have another order', async () => {
    await create('k1')
    const { type, attributes } = data
    const { status } = await service.refused(() => create('k1', { data: { attributes, type } }))
    expect(status).toBe(409)
  })

  it.each(['"r.d"', ''])(
    'is 412 before its key is looked at, where it has If-Match: %j',
    async (tag) => {
      const headers = { 'Idempotency-Key': 'k1', 'If-Match': tag }
      for (const attempt of ['first', 'second']) {
        const { status } = await service.post('/articles', { data }, { headers })
        expect(status, attempt).toBe(412)
        await create('k1')
      }
    },
  )

  it('is judged no further: nothing is asked of targets that have gone since', async () => {
    const relationships = { author: { data: identifier('people', 'p03') } }
    const body = { data: { ...data, relationships } }
    const { id } = (await create('k1', body)).document.data
    const author = { data: null }
    await service.patch(`/articles/${id}/relationships/author`, author)
    await service.d1.prepare("DELETE FROM people WHERE person_no = 'p03'").raw()
    const again = await create('k1', body)
    expect(again.status).toBe(201)
    expect(again.document.data.relationships.author.data).toBeNull()
  })
})

describe('a create with a key whose answer D1 loses after the commit (contract, section 14)', () => {
  it('is done once, and answered as what it is: no replay', async () => {
    let trips = 0
    const { post, d1 } = await startService(async (_, run) => {
      await run()
      if (++trips === 1) {
        throw new Error('D1_ERROR: Network connection lost.')
      }
    })
    const { status, headers, document } = await post('/articles', { data }, keyed('k1'))
    expect(status).toBe(201)
    expect(headers.get('Idempotency-Replayed')).toBeNull()
    expect(await d1.prepare('SELECT article_no FROM articles').raw()).toEqual([[document.data.id]])
  })
})

describe('a key that is none (contract, section 12)', () => {
  it.each(['a b', '', 'k'.repeat(256), '"a'])('is a 400 at the header: %j', async (key) => {
    const { status, errors } = await service.refused(() => create(key))
    expect(status).toBe(400)
    expect(errors).toMatchObject([
      { code: 'VALUE_INVALID_FORMAT', source: { header: 'Idempotency-Key' } },
    ])
  })

  it('is told beside all other faults (contract, section 2)', async () => {
    const body = { data: { ...data, attributes: { title: 1 } } }
    const { status, errors } = await service.refused(() =>
      create('a b', body, '/articles?fields[articles]=x'),
    )
    expect(status).toBe(400)
    const sources = errors.map(({ source }: { readonly source: object }) => source)
    expect(sources).toContainEqual({ header: 'Idempotency-Key' })
    expect(sources).toContainEqual({ parameter: 'fields[articles]' })
    expect(sources).toContainEqual({ pointer: '/data/attributes/title' })
  })

  it('is ignored by operations that take no key', async () => {
    const as = keyed('not a key')
    const body = { data: { type: 'articles', id: 'a01', attributes: { title: 'T' } } }
    expect((await service.patch('/articles/a01', body, as)).status).toBe(204)
    expect((await service.get('/articles/a01', as)).status).toBe(200)
    expect((await service.remove('/articles/a01', undefined, as)).status).toBe(202)
  })
})

it('what is stored with a key tells neither the key nor the caller nor the request', async () => {
  await create('my-very-own-key')
  const rows = await service.d1.prepare('SELECT name, fingerprint FROM idempotency_keys').raw()
  expect(rows).toEqual([
    [expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)],
  ])
})
