import { describe, expect, it } from 'vitest'
import { pageMeta } from '../../../support/documents.ts'
import { person } from '../request/requests.ts'
import { ask } from './reading.ts'

const at = (offset: number, total: number) =>
  ask('articles.list', {
    principal: person('articles.read'),
    query: { 'page[offset]': String(offset) },
    instead: { total, records: [], position: undefined },
  })

describe('an offset past the largest one (contract, section 10)', () => {
  it('within the collection is refused, and points to cursors', async () => {
    await expect(at(100_001, 100_002)).rejects.toMatchObject({
      status: 400,
      problems: [
        {
          code: 'VALUE_INVALID_FORMAT',
          detail: expect.stringMatching(/at most 100000 .*page\[cursor\]/),
          source: { parameter: 'page[offset]' },
        },
      ],
    })
  })

  it.each([
    [100_001, 100_001],
    [Number.MAX_SAFE_INTEGER, 5],
    [100_001, 0],
  ])('past the end is an empty page with the total: %d of %d', async (offset, total) => {
    const { document, reads } = await at(offset, total)
    expect(document.data).toEqual([])
    expect(document.meta).toEqual(pageMeta({ totalItems: total }))
    expect(reads.map(({ from }) => from)).toMatchObject([{ offset: 0, limit: 1, total: true }])
  })

  it('skips no row: only the total is asked for', async () => {
    const { reads } = await at(100_001, 3)
    expect(reads).toHaveLength(1)
    expect(reads[0]?.from).toMatchObject({ offset: 0, limit: 1 })
  })

  it('is none at the bound itself', async () => {
    const { reads } = await at(100_000, 100_001)
    expect(reads[0]?.from).toMatchObject({ offset: 100_000, limit: 20 })
  })
})
