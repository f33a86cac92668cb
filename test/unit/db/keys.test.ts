import { describe, expect, it, vi } from 'vitest'
import { keyLifetime, usedOf } from '../../../src/db/keys.ts'
import type { IdempotencyKey } from '../../../src/jsonapi/run/idempotency.ts'
import { contributors, create, populated } from './changes.ts'
import { dump } from './second-domain/domain.ts'

/** A key, with the fingerprint of its request. */
const keyOf = (name: string, fingerprint = 'F'.repeat(43)): IdempotencyKey => ({
  name,
  fingerprint,
  isSame: async (other) => other === fingerprint,
})

/** An article like others but for its id and what must be unique. */
const article = (id: string) => create(id, { handle: `handle-of-${id}` })

const count = 'SELECT count(*) FROM articles'
const stored = 'SELECT name, fingerprint, created FROM idempotency_keys ORDER BY name'

describe('a create with a key (contract, section 12)', () => {
  it('stores the key with what it creates, in one round trip', async () => {
    const { write, rows, roundTrips } = await populated()
    expect(await write(article('c'), 'ann', { key: keyOf('k1') })).toMatchObject({ kind: 'done' })
    expect(roundTrips).toHaveLength(1)
    expect(await rows(stored)).toEqual([`k1 ${'F'.repeat(43)} c`])
  })

  it('tells what the key was used for, in one round trip, and writes nothing', async () => {
    const { d1, write, roundTrips } = await populated()
    await write(article('c'), 'ann', { key: keyOf('k1', 'first') })
    const before = await dump(d1)
    expect(await write(article('d'), 'ann', { key: keyOf('k1', 'second') })).toEqual({
      kind: 'used',
      fingerprint: 'first',
      created: ['c'],
    })
    expect(roundTrips).toHaveLength(2)
    expect(await dump(d1)).toEqual(before)
  })

  it('is judged by its key before anything else: targets, unique values, quotas', async () => {
    const { write } = await populated(undefined, { owned: 2, members: 3 })
    await write(article('c'), 'ann', { key: keyOf('k1') })
    const wrong = create('d', { handle: 'handle-b' }, { author: [{ id: 'p99' }] })
    expect(await write(wrong, 'ann', { key: keyOf('k1') })).toMatchObject({
      kind: 'used',
      created: ['c'],
    })
  })

  it('has nothing to do with a create under another key, or under none', async () => {
    const { write, rows } = await populated()
    await write(article('c'), 'ann', { key: keyOf('k1') })
    await write(article('d'), 'ann', { key: keyOf('k2') })
    await write(article('e'))
    expect(await rows(count)).toEqual(['5'])
  })

  it('is done once when it is sent ten times at once', async () => {
    const { write, rows } = await populated()
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, nth) =>
        write(article(`c${nth}`), 'ann', { key: keyOf('k1') }),
      ),
    )
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    const used = outcomes.flatMap((outcome) => (outcome.kind === 'used' ? outcome.created : []))
    expect(used).toHaveLength(9)
    const [id] = new Set(used)
    expect(await rows(`${count} WHERE article_no = '${id}'`)).toEqual(['1'])
    expect(await rows(count)).toEqual(['3'])
  })

  it.each([
    ['used when it is a millisecond younger than 24 hours', 1, 'used', 'k1 first c'],
    ['absent when it is 24 hours old, and its row is replaced', 0, 'done', 'k1 second d'],
  ])('counts a key as %s', async (_, left, kind, row) => {
    const { d1, write, rows } = await populated()
    const now = Date.UTC(2026, 10, 21)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now - keyLifetime + left)
    await write(article('c'), 'ann', { key: keyOf('k1', 'first') })
    clock.mockReturnValue(now)
    expect(await write(article('d'), 'ann', { key: keyOf('k1', 'second') })).toMatchObject({ kind })
    clock.mockRestore()
    expect(await rows(stored)).toEqual([row])
    const at = kind === 'done' ? now : now - keyLifetime + left
    expect(await d1.prepare('SELECT at FROM idempotency_keys').raw()).toEqual([[at]])
  })
})

describe('what a failure tells of a used key', () => {
  it.each([
    ["D1_ERROR: bad JSON path: 'used key F-_9 a': SQLITE_ERROR", undefined],
    [
      "D1_ERROR: bad JSON path: 'used key F-_9 a ': SQLITE_ERROR",
      { fingerprint: 'F-_9', created: ['a'] },
    ],
    ["JSON path error near 'used key F a,b.~ '", { fingerprint: 'F', created: ['a', 'b.~'] }],
    ["bad JSON path: 'used key F  '", { fingerprint: 'F', created: [] }],
    ['UNIQUE constraint failed: articles.handle_fold', undefined],
  ])('follows from its message: %s', (message, row) => {
    const told = row && { kind: 'used', ...row }
    expect(usedOf(new Error(message))).toEqual(told)
    expect(usedOf(new Error('Failed', { cause: new Error(message) }))).toEqual(told)
  })

  it('is nothing where the write has no key', async () => {
    const { write } = await populated()
    expect(await write(contributors('add', 'a', ['p02']))).toEqual({ kind: 'done' })
  })
})
