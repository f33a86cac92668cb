import { beforeEach, describe, expect, it } from 'vitest'
import { startWritable } from './writable.ts'

let service: Awaited<ReturnType<typeof startWritable>>

beforeEach(async () => {
  service = await startWritable()
})

const data = {
  type: 'articles',
  attributes: { title: 'Made', handle: 'made', section: 'News', notes: 'quite secret' },
}
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

const create = (key: string, body: unknown = { data }, path = '/articles') =>
  service.post(path, body, keyed(key))

describe('a create that is sent again with its key (contract, section 12)', () => {
  it('is a create of its own when another caller sends it', async () => {
    const { document } = await create('k1')
    const handle = 'another'
    const other = { data: { ...data, attributes: { ...data.attributes, handle } } }
    const bobs = await service.post('/articles', other, { as: 'bob', ...keyed('k1') })
    expect(bobs.status).toBe(201)
    expect(bobs.document.data.id).not.toBe(document.data.id)
    expect(bobs.headers.get('Idempotency-Replayed')).toBeNull()
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
})

describe('a key that is none (contract, section 12)', () => {
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
