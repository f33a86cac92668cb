import { beforeAll, describe, expect, it } from 'vitest'
import { noticeOf, transactionNotice } from '../../../src/http/deprecation.ts'
import { endpointName, endpointsOf } from '../../../src/jsonapi/declare/endpoint.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { registry as service } from '../../../src/resources/index.ts'
import { registry as secondDomain } from '../db/second-domain/registry.ts'
import type { Call, Reply } from './service.ts'
import { identifier, startWritable } from './writable.ts'

// The second domain deprecates the attributes articles.handle and people.born, and the operations that read the favourite of a
// person and delete a person.

let domain: Awaited<ReturnType<typeof startWritable>>
beforeAll(async () => {
  domain = await startWritable()
})

/** What an answer tells of deprecations. */
const told = ({ headers }: Pick<Reply, 'headers'>) => ({
  deprecation: headers.get('Deprecation'),
  sunset: headers.get('Sunset'),
  link: headers.get('Link'),
})

/** The time of a day as `Deprecation` tells it: a date of RFC 9651. */
const at = (day: string) => `@${Date.parse(day) / 1_000}`

const nothing = { deprecation: null, sunset: null, link: null }
const handle = {
  deprecation: at('2026-01-15'),
  sunset: 'Fri, 15 Jan 2027 00:00:00 GMT',
  link: null,
}
const born = {
  deprecation: at('2025-06-01'),
  sunset: null,
  link: '<https://service.example/guides/born>; rel="deprecation"',
}
const favourite = {
  deprecation: at('2026-03-01'),
  sunset: 'Thu, 31 Dec 2026 00:00:00 GMT',
  link: '<https://service.example/guides/favourites>; rel="deprecation"',
}
const removal = { ...nothing, deprecation: at('2026-02-01') }
const handleAndBorn = {
  deprecation: born.deprecation,
  sunset: handle.sunset,
  link: born.link,
}

describe('an operation that is deprecated says so (contract, section 20)', () => {
  it('with the seconds of RFC 9745, the date of RFC 8594 and a link to its page', async () => {
    const answer = await domain.get('/people/p01/relationships/favourite')
    expect(answer.status).toBe(200)
    expect(told(answer)).toEqual(favourite)
    expect(favourite.deprecation).toBe('@1772323200')
  })

  it.each<[string, number, string, Call]>([
    ['a token that nobody knows', 401, '/people/p01/relationships/favourite', { as: 'nobody' }],
    ['a parameter that it does not take', 400, '/people/p01/relationships/favourite?sort=a', {}],
    ['a person that is not there', 404, '/people/p99/relationships/favourite', {}],
    [
      'a media type that it does not have',
      406,
      '/people/p01/relationships/favourite',
      { headers: { Accept: 'image/png' } },
    ],
  ])('in the error for %s, which is a %i', async (_, status, path, call) => {
    const answer = await domain.get(path, call)
    expect(answer.status).toBe(status)
    expect(told(answer)).toEqual(favourite)
  })

  it('in an answer without a document: a 304, a 204', async () => {
    const path = '/people/p02/relationships/favourite'
    const tag = (await domain.get(path)).headers.get('ETag') ?? ''
    const unchanged = await domain.get(path, { headers: { 'If-None-Match': tag } })
    expect([unchanged.status, told(unchanged)]).toEqual([304, favourite])
    const removed = await domain.remove('/people/p03')
    expect([removed.status, told(removed)]).toEqual([204, removal])
  })

  it('and the operation that reads its related resource goes with it', async () => {
    const answer = await domain.get('/people/p01/favourite')
    expect([answer.status, told(answer)]).toEqual([200, favourite])
  })

  it('and other operations on its path do not', async () => {
    const data = { data: identifier('tags', 't01') }
    const answer = await domain.patch('/people/p01/relationships/favourite', data)
    expect([answer.status, told(answer)]).toEqual([204, nothing])
  })
})

describe('a request that uses a deprecated attribute is told so (contract, section 20)', () => {
  it.each<[string, string, Call, object]>([
    ['it shows the attribute', '/articles/a01', {}, handle],
    ['it shows the attribute of somebody else', '/articles/a02', {}, handle],
    [
      'it lists the attribute, though nothing is found',
      '/articles?filter[section]=none',
      {},
      handle,
    ],
    ['it includes the attribute', '/people?include=follows&fields[people]=born', {}, born],
    ['it includes one beside its own', '/articles?include=author', {}, handleAndBorn],
    [
      'it includes the attribute two steps away',
      '/articles?include=author.follows&fields[articles]=author',
      {},
      born,
    ],
    [
      'it includes the attribute in linkage',
      '/articles/a01/relationships/author?include=author',
      {},
      born,
    ],
    ['it shows the attribute of related resources', '/articles/a01/contributors', {}, born],
    ['it names the attribute', '/articles?fields[articles]=handle', {}, handle],
    ['it sorts by the attribute', '/articles?fields[articles]=title&sort=-handle', {}, handle],
    [
      'it filters by the attribute',
      '/articles?fields[articles]=title&filter[handle]=a',
      {},
      handle,
    ],
    ['it sorts linkage by the attribute', '/people/p01/relationships/follows?sort=born', {}, born],
  ])('where %s', async (_, path, call, expected) => {
    const answer = await domain.get(path, call)
    expect(answer.status).toBe(200)
    expect(told(answer)).toEqual(expected)
  })

  it.each<[string, string, Call]>([
    ['it leaves the attribute out', '/articles?fields[articles]=title', {}],
    ['its caller may not see the attribute', '/articles', { as: 'client' }],
    ['it shows identifiers alone', '/people/p01/relationships/follows', {}],
    ['it shows other types alone', '/tags', {}],
    [
      'its caller may not follow the relationship that it includes',
      '/articles?include=contributors&fields[articles]=title',
      { as: 'client' },
    ],
  ])('and not where %s', async (_, path, call) => {
    const answer = await domain.get(path, call)
    expect(answer.status).toBe(200)
    expect(told(answer)).toEqual(nothing)
  })

  it('and not where it is refused before it is understood', async () => {
    const answer = await domain.get('/articles?sort=handle&page[limit]=many')
    expect([answer.status, told(answer)]).toEqual([400, nothing])
  })

  it('and in the 404 of a request that is valid', async () => {
    const answer = await domain.get('/articles/a99')
    expect([answer.status, told(answer)]).toEqual([404, handle])
  })

  it('in a 304', async () => {
    const tag = (await domain.get('/articles')).headers.get('ETag') ?? ''
    const answer = await domain.get('/articles', { headers: { 'If-None-Match': tag } })
    expect([answer.status, told(answer)]).toEqual([304, handle])
  })

  it('where it sends the attribute, beside the other headers of its operation', async () => {
    const attributes = { title: 'Made', handle: 'made', section: 'News' }
    const data = { type: 'articles', attributes }
    const made = await domain.post('/articles?fields[articles]=title', { data })
    expect([made.status, told(made)]).toEqual([
      201,
      { ...handle, link: '</first>; rel="first", </second>; rel="second"' },
    ])
    const change = (sent: object) =>
      domain.patch('/articles/a01', { data: { type: 'articles', id: 'a01', attributes: sent } })
    expect(told(await change({ handle: 'new' }))).toEqual(handle)
    expect(told(await change({ title: 'New' }))).toEqual(nothing)
  })
})

describe('a transaction is told what its operations use (contract, sections 13 and 20)', () => {
  const rename = { op: 'update', data: { type: 'articles', id: 'a01', attributes: { title: 'A' } } }

  it('attributes that they send or show, and operations that are deprecated', async () => {
    const attributes = { nickname: 'Zed', born: 1999 }
    const added = await domain.transact({
      op: 'add',
      data: { type: 'people', lid: 'z', attributes },
    })
    expect([added.status, told(added)]).toEqual([200, born])
    const { id } = added.document['atomic:results'][0].data
    const removed = await domain.transact(rename, { op: 'remove', ref: { type: 'people', id } })
    expect([removed.status, told(removed)]).toEqual([200, removal])
  })

  it('and nothing where they use nothing of the kind', async () => {
    const answer = await domain.transact(rename)
    expect([answer.status, told(answer)]).toEqual([200, nothing])
  })
})

describe('a route on which nothing can be deprecated has nothing of it (contract, section 20)', () => {
  const noticed = (registry: Registry) =>
    endpointsOf(registry).filter((endpoint) => noticeOf(registry, endpoint))

  it('such as each route of this service, which deprecates nothing', () => {
    expect(noticed(service)).toEqual([])
    expect(transactionNotice(service)).toBeUndefined()
  })

  it('and those of tags in the second domain', () => {
    const names = noticed(secondDomain).map(endpointName)
    expect(names).toContain('people.favourite.readOne')
    expect(names.filter((name) => name.startsWith('tags'))).toEqual([])
  })
})
