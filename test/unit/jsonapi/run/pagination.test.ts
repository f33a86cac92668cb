import { describe, expect, it } from 'vitest'
import { linkageNext, nextCursorOf, pageParts } from '../../../../src/jsonapi/run/pagination.ts'
import type { Found } from '../../../../src/jsonapi/run/store.ts'
import { pageMeta } from '../../../support/documents.ts'
import { sealer } from '../../../support/sealer.ts'
import { bytesOf } from '../base62.ts'
import { openedAfter, problemsOf, specOf } from './readers.ts'

const path = '/root/articles'
const offsetLimit = 100_000

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

/** What a cursor says in plain text. */
const decoded = (cursor: string) => new TextDecoder().decode(bytesOf(cursor))

/** The links of an offset page, with the brackets of their parameters legible. */
function offsetLinks(offset: number, limit: number, total: number) {
  const search = `?page[limit]=${limit}&page[offset]=${offset}`
  const page = specOf('articles.list', {
    'page[limit]': `${limit}`,
    'page[offset]': `${offset}`,
  }).page
  const { links, meta } = pageParts({ path, search, offsetLimit }, page, found(total), undefined)
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

/** The links and meta of a page of a collection without a query. */
const partsOf = (type: string, ...[what, nextCursor]: [Found, string?]) =>
  pageParts(
    { path: `/root/${type}`, search: '', offsetLimit },
    specOf(`${type}.list`, {}).page,
    what,
    nextCursor,
  )

describe('limit-offset pages (contract, section 7)', () => {
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
  ])('have the right links: %s', (_, offset, limit, total, links) => {
    expect(offsetLinks(offset, limit, total)).toEqual(links)
  })

  it.each<[string, offset: number, links: (number | string | null)[]]>([
    ['before it', 99_960, [0, 99_940, 99_980, null]],
    ['next to it', 99_980, [0, 99_960, 100_000, null]],
    ['at it', 100_000, [0, 99_980, 'cursor', null]],
    ['past it and past the end', 300_000, [0, null, null, null]],
  ])('lead no further than the largest offset: %s', (_, offset, links) => {
    const { page } = specOf('articles.list', { 'page[offset]': String(offset) })
    const total = 200_000
    const position = offset < total ? ['a'] : undefined
    const parts = pageParts(
      { path, search: `?page[offset]=${offset}`, offsetLimit },
      page,
      found(total, position),
      position && 'next',
    )
    const { first, prev, next, last } = parts.links
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

  it('say the limit that there is where none was sent', () => {
    expect(partsOf('articles', found(45), 'next').links).toEqual({
      self: path,
      first: `${path}?page%5Blimit%5D=20`,
      prev: null,
      next: `${path}?page%5Blimit%5D=20&page%5Boffset%5D=20`,
      last: `${path}?page%5Blimit%5D=20&page%5Boffset%5D=40`,
    })
  })

  it('name the cursor of the next page while more follow', () => {
    const { meta } = partsOf('articles', found(30, ['a1']), 'next')
    expect(meta).toEqual(pageMeta({ totalItems: 30, nextCursor: 'next' }))
  })
})

describe('the cursor of the next page (contract, section 7)', () => {
  it.each(['', 'title'])('is taken again, of a page sorted by "%s"', async (sort) => {
    const query = { sort }
    const position = sort === '' ? ['a1'] : ['k', 'a1']
    const { page } = specOf('articles.list', query)
    const cursor = await nextCursorOf(sealer, page, found(30, position))
    expect(await openedAfter('articles.list', { ...query, 'page[cursor]': cursor ?? '' })).toEqual(
      position,
    )
  })

  it('does not tell the values that a page is sorted by', async () => {
    const { page } = specOf('articles.list', { sort: 'title' })
    const cursor = await nextCursorOf(sealer, page, found(30, ['secret-value', 'a1']))
    expect(decoded(cursor ?? '')).not.toContain('secret')
    const { page: unsorted } = specOf('articles.list', {})
    expect(decoded((await nextCursorOf(sealer, unsorted, found(30, ['a1']))) ?? '')).toContain('a1')
  })

  it('is absent where no page follows, and where nothing is paged', async () => {
    const { page } = specOf('articles.list', {})
    expect(await nextCursorOf(sealer, page, found(30))).toBeUndefined()
    const { page: whole } = specOf('tags.list', {})
    expect(await nextCursorOf(sealer, whole, found(30, ['t1']))).toBeUndefined()
  })
})

describe('cursor pages (contract, section 7)', () => {
  it('go forward only: first and next, prev and last null', () => {
    const { links, meta } = partsOf('people', found(undefined, ['p1']), 'next1')
    expect(meta).toEqual(pageMeta({ nextCursor: 'next1' }))
    expect(links).toEqual({
      self: '/root/people',
      first: '/root/people',
      prev: null,
      next: '/root/people?page%5Bcursor%5D=next1',
      last: null,
    })
  })

  it('have no next and no meta at the end', () => {
    const { links, meta } = partsOf('people', found(undefined))
    expect(links.next).toBeNull()
    expect(meta).toBeUndefined()
  })

  it('of a collection that knows offsets keep page[limit], and say no total', async () => {
    const first = specOf('articles.list', { 'page[limit]': '7' }).page
    const cursor = (await nextCursorOf(sealer, first, found(30, ['a7']))) ?? ''
    const second = specOf('articles.list', { 'page[cursor]': cursor, 'page[limit]': '7' }).page
    const search = `?page[limit]=7&page[cursor]=${cursor}`
    const parts = pageParts({ path, search, offsetLimit }, second, found(undefined, ['b7']), 'next')
    expect(parts.links).toMatchObject({
      self: spelled(path + search),
      first: `${path}?page%5Blimit%5D=7`,
      prev: null,
      last: null,
    })
    expect(parts.links.next).toMatch(/^\/root\/articles\?page%5Blimit%5D=7&page%5Bcursor%5D=\w+$/)
    expect(parts.meta).toEqual(pageMeta({ nextCursor: 'next' }))
  })
})

describe('links keep every other parameter, percent-encoded (contract, section 7)', () => {
  it.each([
    ['?include=author%2Ctags&sort=-title', '?include=author,tags&sort=-title'],
    ['?filter[section]=a%20b%26c%3Dd', '?filter%5Bsection%5D=a%20b%26c%3Dd'],
    ['?filter[section]=a+b', '?filter%5Bsection%5D=a%20b'],
    ['?filter[section]=o%27neil', '?filter%5Bsection%5D=o%27neil'],
    ['?page[limit]=5&include=', '?include='],
    ['?', ''],
  ])('as in %s', (search, kept) => {
    const { page } = specOf('articles.list', { 'page[limit]': '5' })
    const { links } = pageParts({ path, search, offsetLimit }, page, found(0), undefined)
    expect(links.self).toBe(spelled(path + search))
    expect(links.first).toBe(`${path}${kept || '?'}${kept ? '&' : ''}page%5Blimit%5D=5`)
  })
})

describe('the way from a resource object to the rest of a relationship (contract, section 7)', () => {
  it('is a cursor that the relationship endpoint takes', () => {
    const endpoint = '/root/articles/a1/relationships/contributors'
    const link = new URL(linkageNext(endpoint, 'p20', 20), 'http://x')
    expect(link.pathname).toBe(endpoint)
    const query = { 'page[cursor]': link.searchParams.get('page[cursor]') ?? '' }
    const { after, limit } = specOf('articles.contributors.readMany', query, endpoint).page
    expect({ after, limit }).toEqual({ after: ['p20'], limit: 20 })
    expect(problemsOf('articles.contributors.readMany', query, '/elsewhere')).toHaveLength(1)
  })
})

describe('links are URI references (contract, section 7; RFC 3986, sections 3.3 and 3.4)', () => {
  it.each([
    ['?fields[tags]=kind', '?fields%5Btags%5D=kind'],
    ['?filter[kind]={a}|b^c\\`"<>', '?filter%5Bkind%5D=%7Ba%7D%7Cb%5Ec%5C%60%22%3C%3E'],
    ["?filter[kind]=a-._~!$&'()*+,;=:@/?b", "?filter%5Bkind%5D=a-._~!$&'()*+,;=:@/?b"],
    ['?filter[kind]=é😀', '?filter%5Bkind%5D=%C3%A9%F0%9F%98%80'],
    ['?filter[kind]=%5b%2C', '?filter%5Bkind%5D=%5b%2C'],
  ])('self of %s is %s', (search, self) => {
    const { page } = specOf('tags.list', {})
    const request = { path: '/root/tags', search, offsetLimit }
    // What is not paged has no other link, and no meta.
    const links = { self: `/root/tags${self}` }
    expect(pageParts(request, page, found(undefined), undefined)).toStrictEqual({ links })
  })
})
