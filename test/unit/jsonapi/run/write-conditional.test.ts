import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../../src/jsonapi/run/store.ts'
import { editors, update, withTitle } from '../request/bodies.ts'
import { send } from './writing.ts'

const title = update({ attributes: { title: 'New' } })

describe('the condition of a write (contract, section 9)', () => {
  it.each([{}, { expected: ['r1', 'r2'] }, { expected: [] }])(
    'asks for the expected revisions: %j',
    async (condition) => {
      const { writes } = await send('articles.update', { id: 'a1', body: title, ...condition })
      expect(writes).toEqual([
        { type: 'articles', change: expect.anything(), owner: 'ann', ...condition },
      ])
    },
  )

  it('that no state of the resource meets is 412 at If-Match', async () => {
    const outcome: Outcome = { kind: 'stale', at: 0 }
    await expect(send('articles.update', { id: 'a1', body: title, outcome })).rejects.toMatchObject(
      {
        status: 412,
        problems: [
          {
            code: 'PRECONDITION_FAILED',
            detail: expect.stringMatching(/articles .*"a1"/),
            source: { header: 'If-Match' },
          },
        ],
      },
    )
  })

  it.each([{ expected: ['r1'] }, { expected: [] }])(
    'cannot be an entity tag where the resource is new: %j is 412',
    async (condition) => {
      await expect(
        send('articles.create', { body: withTitle({}), ...condition }),
      ).rejects.toMatchObject({
        status: 412,
        problems: [
          {
            code: 'PRECONDITION_FAILED',
            detail: expect.stringMatching(/^If-Match can only be \* on a create: /),
            source: { header: 'If-Match' },
          },
        ],
      })
    },
  )
})

describe('the revision of a resource (contract, section 9)', () => {
  it.each([
    ['articles.update', title],
    ['articles.contributors.addMany', { data: editors(1) }],
  ])('is new after each write, which tells it: %s', async (name, body) => {
    const first = await send(name, { id: 'a1', body })
    const second = await send(name, { id: 'a1', body })
    expect(first.answer.revision).toBe(first.revisions[0])
    expect(first.answer.revision).toMatch(/^[0-9a-f]{24}$/)
    expect(second.answer.revision).not.toBe(first.answer.revision)
  })

  it('is not told of what is gone', async () => {
    const { answer } = await send('articles.delete', { id: 'a1' })
    expect(answer.revision).toBeUndefined()
  })
})

describe('a write that would exceed a quota (contract, section 15)', () => {
  it.each<
    [name: string, body: object, relationship: string | undefined, pointer: string, said: RegExp]
  >([
    ['articles.create', withTitle({}), undefined, '/data', /at most 10 resources of type articles/],
    [
      'articles.contributors.addMany',
      { data: editors(2) },
      'contributors',
      '/data',
      /^The relationship contributors .* at most 10 members/,
    ],
    [
      'articles.update',
      update({ relationships: { contributors: { data: editors(2) } } }),
      'contributors',
      '/data/relationships/contributors/data',
      /^The relationship contributors .* at most 10 members/,
    ],
  ])(
    'is a conflict that says what the quota is: %s',
    async (name, body, relationship, pointer, said) => {
      const outcome: Outcome = {
        kind: 'full',
        at: 0,
        most: 10,
        ...(relationship && { relationship }),
      }
      const id = name === 'articles.create' ? {} : { id: 'a1' }
      await expect(send(name, { ...id, body, outcome })).rejects.toMatchObject({
        status: 409,
        problems: [{ code: 'CONFLICT', detail: expect.stringMatching(said), source: { pointer } }],
      })
    },
  )
})
