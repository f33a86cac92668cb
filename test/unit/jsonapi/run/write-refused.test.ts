import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../../src/jsonapi/errors.ts'
import type { Outcome } from '../../../../src/jsonapi/run/store.ts'
import { editors, people, update, withTitle } from '../request/bodies.ts'
import { send } from './writing.ts'

describe('a write that is refused (contract, section 2)', () => {
  it.each<[Outcome['kind'] & ('absent' | 'foreign'), status: number, code: string]>([
    ['absent', 404, 'NOT_FOUND'],
    ['foreign', 403, 'INSUFFICIENT_ENTITLEMENTS'],
  ])('since its resource is %s is %d %s at the path', async (kind, status, code) => {
    await expect(
      send('articles.delete', { id: 'a1', outcome: { kind, at: 0 } }),
    ).rejects.toMatchObject({
      status,
      problems: [{ code, detail: expect.stringMatching(/articles.*"a1"/), source: { path: 'id' } }],
    })
  })

  const tags = [
    { type: 'tags', id: 't1' },
    { type: 'tags', id: 't2' },
  ]

  it.each<
    [name: string, body: object, targets: [relationship: string, id: string, pointer: string][]]
  >([
    ['articles.author.replaceOne', { data: people('p1')[0] ?? {} }, [['author', 'p1', '/data/id']]],
    [
      'articles.contributors.addMany',
      { data: editors(3) },
      [
        ['contributors', 'p1', '/data/1/id'],
        ['contributors', 'p2', '/data/2/id'],
      ],
    ],
    [
      'articles.update',
      update({ relationships: { author: { data: people('p1')[0] }, tags: { data: tags } } }),
      [
        ['author', 'p1', '/data/relationships/author/data/id'],
        ['tags', 't2', '/data/relationships/tags/data/1/id'],
      ],
    ],
  ])(
    'since linkage leads nowhere is 404 at each target: %s (contract, section 6)',
    async (name, body, targets) => {
      const outcome: Outcome = {
        kind: 'dangling',
        at: 0,
        targets: targets.map(([relationship, id]) => ({ relationship, id })),
      }
      await expect(send(name, { id: 'a1', body, outcome })).rejects.toMatchObject({
        status: 404,
        problems: targets.map(([relationship, id, pointer]) => ({
          code: 'NOT_FOUND',
          detail: expect.stringMatching(`${relationship === 'tags' ? 'tags' : 'people'}.*"${id}"`),
          source: { pointer },
        })),
      })
    },
  )

  it('since others have its values is 409 at each attribute (contract, section 6)', async () => {
    const outcome: Outcome = { kind: 'taken', at: 0, attributes: ['title', 'handle'] }
    await expect(send('articles.create', { body: withTitle({}), outcome })).rejects.toMatchObject({
      status: 409,
      problems: ['title', 'handle'].map((name) => ({
        code: 'CONFLICT',
        detail: expect.stringContaining(name),
        source: { pointer: `/data/attributes/${name}` },
      })),
    })
  })
})

describe('a store that breaks its promise', () => {
  it.each<[what: string, name: string, outcome: Outcome, message: string]>([
    [
      'refuses and names no target',
      'articles.update',
      { kind: 'dangling', at: 0, targets: [] },
      'without naming a fault',
    ],
    [
      'refuses and names no attribute',
      'articles.update',
      { kind: 'taken', at: 0, attributes: [] },
      'without naming a fault',
    ],
    [
      'creates and does not read it back',
      'articles.create',
      { kind: 'done', found: [] },
      'gave no result for a create',
    ],
  ])('is no fault of the caller: it %s', async (_, name, outcome, message) => {
    const failure = send(name, { outcome })
    await expect(failure).rejects.toMatchObject({ message: expect.stringContaining(message) })
    await expect(failure).rejects.not.toBeInstanceOf(ApiError)
  })
})
