import { beforeEach, describe, expect, it } from 'vitest'
import { identifier, startWritable } from './writable.ts'

let service: Awaited<ReturnType<typeof startWritable>>

beforeEach(async () => {
  service = await startWritable()
})

describe('replaceOne (contract, section 1)', () => {
  const path = '/articles/a01/relationships/author'

  it('replaces the linkage, and removes it with null', async () => {
    expect((await service.patch(path, { data: identifier('people', 'p03') })).status).toBe(204)
    expect(await service.linkage(path)).toEqual(identifier('people', 'p03'))
    expect((await service.patch(path, { data: null })).status).toBe(204)
    expect(await service.linkage(path)).toBeNull()
  })

  it('is refused for a target that is not there, and to who does not own the resource', async () => {
    const nowhere = await service.refused(() =>
      service.patch(path, { data: identifier('people', 'p99') }),
    )
    expect(nowhere).toMatchObject({ status: 404, errors: [{ source: { pointer: '/data/id' } }] })
    const foreign = await service.refused(() => service.patch(path, { data: null }, { as: 'bob' }))
    expect(foreign.status).toBe(403)
  })
})

describe('the writes of a to-many relationship (contract, section 1)', () => {
  const path = '/articles/a01/relationships/contributors'
  const editor = (id: string) => identifier('people', id, { part: 'EDITOR' })
  const reviewer = (id: string) => identifier('people', id, { part: 'REVIEWER' })

  it('leave exactly what a replacement sends, with the meta it was sent with', async () => {
    expect((await service.patch(path, { data: [reviewer('p01'), editor('p03')] })).status).toBe(204)
    expect(await service.linkage(path)).toEqual([reviewer('p01'), editor('p03')])
    expect((await service.patch(path, { data: [] })).status).toBe(204)
    expect(await service.linkage(path)).toEqual([])
  })

  it('add members to what is there, and double none that is there already', async () => {
    for (let time = 0; time < 2; time++) {
      expect((await service.post(path, { data: [reviewer('p01'), editor('p02')] })).status).toBe(
        204,
      )
      expect(await service.linkage(path)).toEqual([reviewer('p01'), editor('p02')])
    }
  })

  it('remove members without meta, and ignore resources that are no members', async () => {
    const data = [identifier('people', 'p01'), identifier('people', 'p99')]
    expect((await service.remove(path, { data })).status).toBe(204)
    expect(await service.linkage(path)).toEqual([])
  })

  it('add to a relationship without meta, also a resource to itself, with the status that is declared', async () => {
    const follows = '/people/p01/relationships/follows'
    const { status } = await service.post(follows, { data: [identifier('people', 'p01')] })
    expect(status).toBe(202)
    expect(await service.linkage(follows)).toEqual([
      identifier('people', 'p01'),
      identifier('people', 'p02'),
    ])
  })

  it.each(['patch', 'post'] as const)(
    'name each target that does not exist: %s',
    async (method) => {
      const { status, errors } = await service.refused(() =>
        service[method](path, { data: [editor('p01'), editor('p98'), editor('p99')] }),
      )
      expect(status).toBe(404)
      expect(errors).toMatchObject([
        { source: { pointer: '/data/1/id' } },
        { source: { pointer: '/data/2/id' } },
      ])
    },
  )

  it.each(['patch', 'post', 'remove'] as const)(
    'are refused on what is absent or foreign: %s',
    async (method) => {
      const on = (id: string) =>
        service.refused(() =>
          service[method](`/articles/${id}/relationships/contributors`, { data: [editor('p01')] }),
        )
      expect((await on('a99')).status).toBe(404)
      expect((await on('a02')).status).toBe(403)
    },
  )

  it('answer 405 where the shape never takes the method, and 404 where the type does not offer it', async () => {
    expect((await service.post('/articles/a01/relationships/author', {})).status).toBe(405)
    expect((await service.post('/articles/a01/relationships/tags', {})).status).toBe(404)
  })
})
