import { describe, expect, it } from 'vitest'
import { pageParts } from '../../../../src/jsonapi/run/pagination.ts'
import type { Found } from '../../../../src/jsonapi/run/port.ts'
import { pageMeta } from '../../../support/documents.ts'
import { sealer } from '../../../support/sealer.ts'
import { specOf } from './readers.ts'

const path = '/root/articles'

/** The service for a request with this query string. */
const serviceAt = (search: string) => ({ target: { path, search }, offsetLimit: 100_000, sealer })

/** What a page found, as far as links and meta depend on it. */
const found = (total: number | undefined, position?: string[]): Found => ({
  records: [],
  members: [],
  position,
  total,
  related: [],
})

/** A link as a URI reference, with the brackets of parameters percent-encoded. */
const spelled = (link: string) => link.replaceAll('[', '%5B').replaceAll(']', '%5D')

/** The links of an offset page, with the brackets of their parameters legible. */
async function offsetLinks(offset: number, limit: number, total: number) {
  const search = `?page[limit]=${limit}&page[offset]=${offset}`
  const { page } = await specOf('articles.list', {
    'page[limit]': `${limit}`,
    'page[offset]': `${offset}`,
  })
  const { links, meta } = await pageParts(serviceAt(search), page, found(total))
  expect(links.self).toBe(spelled(path + search))
  expect(meta).toStrictEqual(pageMeta({ totalItems: total }))
  const position = (link: string | null | undefined) =>
    link && new URL(link, 'http://x').searchParams.get('page[offset]')
  for (const link of [links.first, links.prev, links.next, links.last]) {
    expect(link === null || link?.includes(`page%5Blimit%5D=${limit}`)).toBe(true)
  }
  const { first, prev, next, last } = links
  return [first, prev, next, last].map((link) => (link === null ? null : Number(position(link))))
}

describe('limit-offset pages', () => {
  it.each<[string, offset: number, limit: number, total: number, links: (number | null)[]]>([
    ['the only page', 0, 20, 5, [0, null, null, 0]],
    ['an empty collection', 0, 20, 0, [0, null, null, 0]],
    ['one more than a page', 0, 20, 21, [0, null, 20, 20]],
    ['one in the middle', 10, 10, 26, [0, 0, 20, 20]],
    ['the last page', 20, 10, 26, [0, 10, null, 20]],
    ['a full last page', 20, 10, 30, [0, 10, null, 20]],
    ['unaligned, less than a page in', 5, 10, 26, [0, 0, 15, 20]],
    ['unaligned, past the last start', 23, 10, 26, [0, 13, null, 20]],
    ['just past the end', 26, 10, 26, [0, 16, null, 20]],
    ['far past the end', 1_000, 10, 26, [0, 20, null, 20]],
    ['past the end of nothing', 5, 10, 0, [0, 0, null, 0]],
    ['as far as offsets go', Number.MAX_SAFE_INTEGER, 100, 26, [0, 0, null, 0]],
  ])('have the right links: %s', async (_, offset, limit, total, links) => {
    expect(await offsetLinks(offset, limit, total)).toEqual(links)
  })

  it.each<[string, offset: number, links: (number | string | null)[]]>([
    ['before it', 99_960, [0, 99_940, 99_980, null]],
    ['next to it', 99_980, [0, 99_960, 100_000, null]],
    ['at it', 100_000, [0, 99_980, 'cursor', null]],
    ['past it and past the end', 300_000, [0, null, null, null]],
  ])('lead no further than the largest offset: %s', async (_, offset, links) => {
    const { page } = await specOf('articles.list', { 'page[offset]': String(offset) })
    const total = 200_000
    const position = offset < total ? ['a'] : undefined
    const service = serviceAt(`?page[offset]=${offset}`)
    const { links: all } = await pageParts(service, page, found(total, position))
    const { first, prev, next, last } = all
    const shown = [first, prev, next, last].map((link) => {
      const query = link == null ? undefined : new URL(link, 'http://x').searchParams
      if (query?.has('page[cursor]')) {
        expect(query.has('page[offset]')).toBe(false)
        return 'cursor'
      }
      return query ? Number(query.get('page[offset]')) : null
    })
    expect(shown).toEqual(links)
  })
})
