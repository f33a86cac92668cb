import { beforeEach, describe, expect, it } from 'vitest'
import { identifier, startWritable } from './writable.ts'

let service: Awaited<ReturnType<typeof startWritable>>

beforeEach(async () => {
  service = await startWritable()
})

describe('create (contract, section 6)', () => {
  const data = {
    type: 'articles',
    attributes: {
      title: 'Made',
      handle: 'made',
      section: 'News',
      words: 7,
      notes: 'quite secret',
      layout: { columns: 3 },
    },
    relationships: {
      author: { data: identifier('people', 'p02') },
      contributors: { data: [identifier('people', 'p01', { part: 'REVIEWER' })] },
      tags: { data: [identifier('tags', 't01'), identifier('tags', 't02')] },
    },
  }

  it('answers 201 with the whole document, Location, and every header the operation adds', async () => {
    const { status, headers, document } = await service.post('/articles', { data })
    expect(status).toBe(201)
    const { id } = document.data
    expect(headers.get('Location')).toBe(`/root/articles/${id}`)
    expect(headers.get('Link')).toBe('</first>; rel="first", </second>; rel="second"')
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect(document.data.attributes).toEqual(data.attributes)
    expect(document.data.relationships.contributors.data).toEqual(
      data.relationships.contributors.data,
    )
    expect(document.data.relationships.tags.data).toEqual(data.relationships.tags.data)
    const read = await service.get(`/articles/${id}`)
    expect(read.document).toEqual(document)
  })

  it('shows the fields that are asked for of what it made', async () => {
    const { document } = await service.post('/articles?fields[articles]=title', { data })
    expect(Object.keys(document.data)).toEqual(['type', 'id', 'attributes', 'links'])
    expect(document.data.attributes).toEqual({ title: 'Made' })
  })

  it('makes the caller the owner, where the type has owners', async () => {
    const { id } = (await service.post('/articles', { data }, { as: 'bob' })).document.data
    expect(
      (await service.patch(`/articles/${id}`, { data: { type: 'articles', id } })).status,
    ).toBe(403)
    expect(
      (await service.patch(`/articles/${id}`, { data: { type: 'articles', id } }, { as: 'bob' }))
        .status,
    ).toBe(204)
  })

  it('makes a resource that nobody owns', async () => {
    const body = { data: { type: 'people', attributes: { nickname: 'Zed', born: 1999 } } }
    const { status, document } = await service.post('/people', body)
    expect(status).toBe(201)
    expect(document.data.attributes).toEqual({ nickname: 'Zed', born: 1999 })
    expect(document.data.relationships.favourite.data).toBeNull()
  })

  it('is refused to a client and to a token without the scope (contract, section 3)', async () => {
    for (const as of ['client', 'reader'] as const) {
      const { status } = await service.refused(() => service.post('/articles', { data }, { as }))
      expect(status).toBe(403)
    }
  })

  it('answers 404 for each target that does not exist, at its id', async () => {
    const relationships = {
      author: { data: identifier('people', 'p99') },
      tags: { data: [identifier('tags', 't01'), identifier('tags', 't99')] },
    }
    const { status, errors } = await service.refused(() =>
      service.post('/articles', { data: { ...data, relationships } }),
    )
    expect(status).toBe(404)
    expect(errors).toMatchObject([
      { code: 'NOT_FOUND', source: { pointer: '/data/relationships/author/data/id' } },
      { code: 'NOT_FOUND', source: { pointer: '/data/relationships/tags/data/1/id' } },
    ])
  })

  it('answers 409 for a value that another resource has, in any case of letters', async () => {
    const attributes = { ...data.attributes, handle: 'HANDLE-A01' }
    const { status, errors } = await service.refused(() =>
      service.post('/articles', { data: { ...data, attributes } }),
    )
    expect(status).toBe(409)
    expect(errors).toMatchObject([
      { code: 'CONFLICT', source: { pointer: '/data/attributes/handle' } },
    ])
  })
})

describe('update (contract, section 6)', () => {
  const update = (attributes: object, relationships?: object, as = 'ann') =>
    service.patch(
      '/articles/a01',
      { data: { type: 'articles', id: 'a01', attributes, relationships } },
      { as },
    )

  it('changes what is sent and leaves the rest, without a body in the answer', async () => {
    const before = (await service.get('/articles/a01')).document.data
    const { status, document } = await update(
      { title: 'New', words: 9 },
      { tags: { data: [identifier('tags', 't03')] } },
    )
    expect([status, document]).toEqual([204, undefined])
    const after = (await service.get('/articles/a01')).document.data
    expect(after.attributes).toEqual({ ...before.attributes, title: 'New', words: 9 })
    expect(after.relationships).toEqual({
      ...before.relationships,
      tags: { ...before.relationships.tags, data: [identifier('tags', 't03')] },
    })
  })

  it('clears an attribute that may be null, and a to-one relationship', async () => {
    await update({ words: 9, layout: { columns: 1 }, notes: 'words' })
    expect(
      (await update({ words: null, layout: null, notes: null }, { author: { data: null } })).status,
    ).toBe(204)
    const { attributes, relationships } = (await service.get('/articles/a01')).document.data
    expect(Object.keys(attributes)).toEqual(['title', 'handle', 'section'])
    expect(relationships.author.data).toBeNull()
  })

  it('is open to the owner', async () => {
    const { status, errors } = await service.refused(() =>
      update({ title: 'Mine' }, undefined, 'bob'),
    )
    expect(status).toBe(403)
    expect(errors).toMatchObject([{ code: 'INSUFFICIENT_ENTITLEMENTS', source: { path: 'id' } }])
  })

  it('is also open to a caller whom another alternative of the rule lets in without owning anything', async () => {
    expect((await update({ title: 'Tidied' }, undefined, 'admin')).status).toBe(204)
  })

  it('is open to anyone with the scope where nobody owns the resource', async () => {
    const body = { data: { type: 'people', id: 'p01', attributes: { nickname: 'Al' } } }
    expect((await service.patch('/people/p01', body, { as: 'bob' })).status).toBe(204)
  })

  it('judges absent before foreign, foreign before dangling, dangling before taken (contract, section 2)', async () => {
    const nowhere = { author: { data: identifier('people', 'p99') } }
    const taken = { handle: 'handle-a02' }
    const body = (id: string) => ({
      data: { type: 'articles', id, attributes: taken, relationships: nowhere },
    })
    const statusOf = async (id: string) =>
      (await service.refused(() => service.patch(`/articles/${id}`, body(id)))).status
    expect(await statusOf('a99')).toBe(404)
    expect(await statusOf('a02')).toBe(403)
    expect(await statusOf('a01')).toBe(404)
    const { status } = await service.refused(() => update(taken))
    expect(status).toBe(409)
  })
})

describe('delete', () => {
  it('answers with the status that the operation sets in place of its own', async () => {
    const { status, document } = await service.remove('/articles/a01')
    expect([status, document]).toEqual([202, undefined])
    expect((await service.get('/articles/a01')).status).toBe(404)
    expect((await service.get('/articles')).document.meta['pagination.totalItems']).toBe(1)
  })

  it('removes links in both directions', async () => {
    expect((await service.remove('/people/p02')).status).toBe(204)
    expect(await service.linkage('/people/p01/relationships/follows')).toEqual([])
  })

  it('answers 404 for what is not there, and 403 for what is somebody else’s', async () => {
    expect((await service.refused(() => service.remove('/articles/a99'))).status).toBe(404)
    expect((await service.refused(() => service.remove('/articles/a02'))).status).toBe(403)
  })

  it('empties the to-one relationships that lead to the resource', async () => {
    expect((await service.remove('/people/p01')).status).toBe(204)
    expect(await service.linkage('/articles/a01/relationships/author')).toBeNull()
  })
})

describe('a write costs one round trip', () => {
  it.each([
    [
      'create',
      () =>
        service.post('/people', {
          data: { type: 'people', attributes: { nickname: 'N', born: 1 } },
        }),
    ],
    [
      'update',
      () =>
        service.patch('/articles/a01', {
          data: { type: 'articles', id: 'a01', attributes: { title: 'T' } },
        }),
    ],
    ['delete', () => service.remove('/articles/a01')],
    [
      'replaceMany',
      () =>
        service.patch('/articles/a01/relationships/tags', { data: [identifier('tags', 't01')] }),
    ],
  ])('as with %s', async (_, write) => {
    await write()
    expect(service.roundTrips).toHaveLength(1)
  })
})
