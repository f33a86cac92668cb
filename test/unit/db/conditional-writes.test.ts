import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Change } from '../../../src/jsonapi/run/store.ts'
import { contributors, create, populated, update } from './changes.ts'
import { dump } from './second-domain/domain.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const remove = (id: string): Change => ({ kind: 'delete', id })
const editor = (id: string) => ({ id, meta: { part: 'EDITOR' } })

/** Every kind of change of an article, as it is sent to `a`. */
const changes: [string, (id: string) => Change][] = [
  ['an update', (id) => update(id, { title: 'T' })],
  ['an update of a relationship', (id) => update(id, {}, { contributors: [editor('p02')] })],
  ['a replacement', (id) => contributors('replace', id, ['p02'])],
  ['an addition', (id) => contributors('add', id, ['p02'])],
  ['a removal', (id) => contributors('remove', id, ['p01'])],
]

const revisionOf = ({ rows }: Awaited<ReturnType<typeof populated>>, id = 'a') =>
  rows(`SELECT edition FROM articles WHERE article_no = '${id}'`)

describe('a revision (contract, section 9)', () => {
  it.each(changes)('is set by %s, with no statement of its own', async (_, change) => {
    const domain = await populated()
    expect(await revisionOf(domain)).toEqual(['0'])
    expect(await domain.write(change('a'), 'ann', { revision: 'r1' })).toEqual({ kind: 'done' })
    expect(await revisionOf(domain)).toEqual(['r1'])
    expect(await revisionOf(domain, 'b')).toEqual(['0'])
    const texts = domain.roundTrips.flat()
    expect(texts.filter((text) => /^update .*"edition" = /.test(text))).toHaveLength(1)
  })

  it('is set by a create, and read back with it', async () => {
    const domain = await populated()
    expect(await domain.write(create('c'), 'ann', { revision: 'r1' })).toMatchObject({
      found: { records: [{ id: 'c', revision: 'r1' }] },
    })
  })
})

describe('a write that expects a revision (contract, section 9)', () => {
  const all: typeof changes = [...changes, ['a delete', remove]]

  it.each(all)('is %s where the resource has one of those', async (_, change) => {
    const { write } = await populated()
    expect(await write(change('a'), 'ann', { expected: ['x', '0'] })).toEqual({ kind: 'done' })
  })

  it.each(all)('is not %s where it has another, and nothing is written', async (_, change) => {
    const { d1, write, roundTrips } = await populated()
    const before = await dump(d1)
    expect(await write(change('a'), 'ann', { expected: ['x'] })).toEqual({ kind: 'stale' })
    expect(await write(change('a'), 'ann', { expected: [] })).toEqual({ kind: 'stale' })
    expect(await dump(d1)).toEqual(before)
    // One round trip writes, which finds nothing, and one asks why.
    expect(roundTrips).toHaveLength(4)
  })

  it.each(all.slice(-2))('tells of %s first that it is absent, or another’s', async (_, change) => {
    const { write } = await populated()
    expect(await write(change('x'), 'ann', { expected: ['x'] })).toEqual({ kind: 'absent' })
    expect(await write(change('b'), 'ann', { expected: ['x'] })).toEqual({ kind: 'foreign' })
  })

  it('is judged before targets, values and quotas', async () => {
    const { write } = await populated()
    const change = update('a', { handle: 'handle-b' }, { author: [{ id: 'p99' }] })
    expect(await write(change, 'ann', { expected: ['x'] })).toEqual({ kind: 'stale' })
  })

  it('admits one of many that come at once', async () => {
    const { write } = await populated()
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        write(update('a', { title: `T${n}` }), 'ann', { expected: ['0'] }),
      ),
    )
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    expect(outcomes.filter(({ kind }) => kind === 'stale')).toHaveLength(9)
  })
})

describe('a conditional write whose answer is lost (contract, sections 9 and 14)', () => {
  /** Loses the answer to the first round trip, before or after it has happened; then somebody else may write. */
  async function losing(when: 'before' | 'after', meanwhile?: string) {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const domain: Awaited<ReturnType<typeof populated>> = await populated(async (_, run) => {
      const isFirst = domain.roundTrips.length === 1
      if (!isFirst || when === 'after') {
        await run()
      }
      if (isFirst) {
        if (meanwhile !== undefined) {
          await domain.d1.prepare(meanwhile).raw()
        }
        throw new Error('D1_ERROR: Network connection lost.')
      }
    })
    return domain
  }

  it.each([
    ...changes.map(([what, change]) => [what, 'after', change('a')] as const),
    ['a delete', 'after', remove('a')],
    ['an update', 'before', update('a', { title: 'T' })],
    ['a delete', 'before', remove('a')],
  ] as const)(
    'is %s that is done once, if it is lost %s it was committed',
    async (_, when, change) => {
      const domain = await losing(when)
      expect(await domain.write(change, 'ann', { expected: ['0'], revision: 'r1' })).toEqual({
        kind: 'done',
      })
      expect(await revisionOf(domain)).toEqual(change.kind === 'delete' ? [] : ['r1'])
    },
  )

  it.each([
    ['has changed the resource', "UPDATE articles SET edition = 'theirs' WHERE article_no = 'a'"],
    ['has deleted it', "DELETE FROM articles WHERE article_no = 'a'"],
  ])('has an unknown outcome if somebody else %s', async (_, meanwhile) => {
    const { write } = await losing('after', meanwhile)
    await expect(
      write(update('a', { title: 'T' }), 'ann', { expected: ['0'] }),
    ).rejects.toMatchObject({
      problems: [
        { code: 'INTERNAL_SERVER_ERROR', detail: expect.stringContaining('is not known') },
      ],
      headers: { 'Retry-After': '1' },
    })
  })

  it('does not overwrite what somebody else has written since', async () => {
    const meanwhile =
      "UPDATE articles SET edition = 'theirs', title = 'Theirs' WHERE article_no = 'a'"
    const { write, rows } = await losing('before', meanwhile)
    await write(update('a', { title: 'T' }), 'ann', { expected: ['0'] }).catch(() => {})
    expect(await rows("SELECT title FROM articles WHERE article_no = 'a'")).toEqual(['Theirs'])
  })
})
