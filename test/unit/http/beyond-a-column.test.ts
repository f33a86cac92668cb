import { gte, like } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { computed, filterBy } from '../../../src/db/stored.ts'
import { addRoutes } from '../../../src/http/paths.ts'
import { respondRead } from '../../../src/http/respond.ts'
import { readRoute } from '../../../src/http/routes.ts'
import { type Extension, served } from '../../../src/http/serve.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { type AccessRule, anyone } from '../../../src/jsonapi/declare/resource.ts'
import { read } from '../../../src/jsonapi/run/read-operation.ts'
import { articles as plainArticles } from '../db/second-domain/articles.ts'
import { article, insert, person } from '../db/second-domain/domain.ts'
import { people } from '../db/second-domain/people.ts'
import { articles as articleTable, visits as visitTable } from '../db/second-domain/tables.ts'
import { tags } from '../db/second-domain/tags.ts'
import { visits as plainVisits } from '../db/second-domain/visits.ts'
import { describeOther } from '../openapi/second-domain.ts'
import { startService } from './service.ts'

const keeper: AccessRule = [{ scopes: ['articles.read'], owner: true }]
const readers: AccessRule = [{ scopes: ['articles.read'] }]

const { title, words } = articleTable

/** What is computed: a text for everybody, and an object for the owner. */
const articles = {
  ...plainArticles,
  attributes: {
    ...plainArticles.attributes,
    shout: {
      schema: () => z.string(),
      stored: computed({ title }, (row) =>
        row.title === 'Silent' ? null : row.title.toUpperCase(),
      ),
      readOnly: true as const,
      access: anyone,
    },
    measure: {
      schema: () => z.object({ words: z.nullable(z.int()), half: z.int() }),
      stored: computed({ words }, (row) => ({ words: row.words, half: (row.words ?? 0) / 2 })),
      readOnly: true as const,
      access: keeper,
    },
  },
}

const visits = {
  ...plainVisits,
  attributes: {
    ...plainVisits.attributes,
    state: {
      schema: () => z.enum(['PAID', 'OPEN']),
      stored: computed({ paid: visitTable.paid, begun: visitTable.begun }, ({ paid, begun }) =>
        paid && begun < new Date('2026-01-01') ? 'PAID' : 'OPEN',
      ),
      readOnly: true as const,
      access: anyone,
    },
  },
  filters: {
    'begun.from': {
      description: 'Visits from this time on.',
      schema: () => z.iso.datetime().check(z.meta({ examples: ['2026-01-01T00:00:00Z'] })),
      access: anyone,
      stored: filterBy(visitTable, ({ begun }, from) => gte(begun, new Date(from))),
    },
    at: {
      description: 'Visits to places that begin like this.',
      schema: () => z.string().check(z.regex(/^[\w, ]+$/, 'must be a beginning of a name')),
      access: readers,
      stored: filterBy(visitTable, ({ place }, start) => like(place, `${start}%`)),
    },
  },
}

const registry = createRegistry([articles, people, tags, visits])

async function stocked() {
  const service = await startService(undefined, { registry })
  const { d1 } = service
  await insert(d1, 'people', person('p1'))
  await insert(d1, 'articles', article('a1', { title: 'Loud', words: 6, author: 'p1' }))
  await insert(d1, 'articles', article('a2', { title: 'Silent', keeper: 'bob' }))
  const visit = (id: string, begun: string, place: string, paid = 1) => ({
    ...{ visit_no: id, ticket: id, ticket_fold: id, begun: Date.parse(begun), pages: 1, paid },
    ...{ recorded: 0, place, place_fold: place.toLowerCase() },
  })
  await insert(d1, 'visits', visit('v1', '2025-06-01T00:00:00Z', 'Oslo, Norway'))
  await insert(d1, 'visits', visit('v2', '2026-06-01T00:00:00Z', 'Oslo, Minnesota'))
  await insert(d1, 'visits', {
    ...visit('v3', '2026-07-01T00:00:00Z', 'Bergen', 0),
    previous: 'v1',
  })
  await insert(d1, 'similar_visits', { visit: 'v1', similar: 'v2' }, { visit: 'v1', similar: 'v3' })
  return service
}

describe('a computed attribute', () => {
  it('is shown to those whom its access admits, of each resource, at its own level and included, and in a create', async () => {
    const { get, post } = await stocked()
    const shown = async (path: string, as: 'ann' | 'client') =>
      [(await get(path, { as })).document.data].flat().map(({ attributes }) => attributes)
    const fields = 'fields[articles]=shout,measure.half'
    expect(await shown(`/articles?${fields}`, 'ann')).toEqual([
      { shout: 'LOUD', measure: { half: 3 } },
      undefined,
    ])
    expect(await shown(`/articles/a1?${fields}`, 'client')).toEqual([{ shout: 'LOUD' }])
    const { included } = (await get('/visits/v3?include=previous')).document
    expect(included).toMatchObject([{ id: 'v1', attributes: { state: 'PAID' } }])
    const attributes = { title: 'New', handle: 'new', section: 'News' }
    const made = await post('/articles', { data: { type: 'articles', attributes } })
    expect(made.document.data.attributes).toMatchObject({
      shout: 'NEW',
      measure: { half: 0 },
    })
  })

  it('is not written, sorted or filtered by, and the description says so', async () => {
    const { get, patch } = await stocked()
    const data = { type: 'articles', id: 'a1', attributes: { shout: 'X' } }
    const { document } = await patch('/articles/a1', { data })
    expect(document.errors).toMatchObject([{ source: { pointer: '/data/attributes/shout' } }])
    for (const query of ['sort=shout', 'filter[shout]=LOUD']) {
      expect((await get(`/articles?${query}`)).status).toBe(400)
    }
    const { schemas } = describeOther(registry).document.components
    const { properties } = schemas.Articles.properties.attributes
    expect(properties.shout).toMatchObject({ type: 'string', readOnly: true })
    expect(
      schemas.ArticlesUpdate.properties.data.properties.attributes.properties,
    ).not.toHaveProperty('shout')
  })
})

describe('a filter that is no attribute', () => {
  it('finds what its expression holds for, in collections and relationships, beside other filters, sorts and cursors', async () => {
    const { get } = await stocked()
    const ids = async (path: string) => {
      const { document } = await get(path)
      return document.data.map(({ id }: { id: string }) => id)
    }
    const from = 'filter[begun.from]=2026-01-01T00:00:00Z'
    expect(await ids(`/visits?${from}`)).toEqual(['v2', 'v3'])
    expect(await ids('/visits?filter[begun.from]=2026-06-15T00:00:00Z')).toEqual(['v3'])
    expect(await ids(`/visits?${from}&filter[paid]=true`)).toEqual(['v2'])
    expect(await ids(`/visits/v1/relationships/similar?${from}&sort=-begun`)).toEqual(['v3', 'v2'])
    expect(await ids('/visits/v1/similar?filter[at]=B')).toEqual(['v3'])
    // A comma is part of the text.
    expect(await ids('/visits?filter[at]=Oslo, M')).toEqual(['v2'])
    const first = await get(`/visits?${from}&sort=-begun&page[limit]=1`)
    expect(first.document.meta.pagination.totalItems).toBe(2)
    const { nextCursor } = first.document.meta.pagination
    const next = `sort=-begun&page[limit]=1&page[cursor]=${nextCursor}`
    expect(await ids(`/visits?${from}&${next}`)).toEqual(['v2'])
    expect((await get(`/visits?${next}`)).status).toBe(400)
  })

  it('is refused with its own message, has an access of its own, and the price of any filter', async () => {
    const { get, roundTrips } = await stocked()
    roundTrips.length = 0
    const wrong = await get('/visits?filter[at]=%25')
    expect(wrong.document.errors).toMatchObject([
      { detail: '"%" must be a beginning of a name.', source: { parameter: 'filter[at]' } },
    ])
    const foreign = await get('/visits?filter[at]=O', { as: 'client' })
    expect(foreign.document.errors).toMatchObject([
      { code: 'INVALID_ENUM_VALUE', source: { parameter: 'filter[at]' } },
    ])
    expect(roundTrips).toEqual([])
    const { headers } = await get('/visits/v1/similar?filter[at]=O')
    expect(headers.get('X-RateLimit-Requested-Tokens')).toBe('3')
  })

  it('is described with its text and its example', () => {
    const { operations } = describeOther(registry)
    const list = operations.find(({ path, method }) => path === '/visits' && method === 'GET')
    const described = list?.parameters.find(({ name }) => name === 'filter[begun.from]')
    expect(described).toMatchObject({
      description: 'Visits from this time on.',
      schema: { type: 'string', format: 'date-time' },
      example: '2026-01-01T00:00:00Z',
    })
  })
})

describe('extensions', () => {
  /** Marks the answers of routes with a method. */
  const marking = (method: string, name: string): Extension => ({
    extend: (route) => ({
      ...route,
      async answer(c, content, service) {
        const response = await route.answer(c, content, service)
        if (route.method === method) {
          response.headers.append('X-Marks', name)
        }
        return response
      },
    }),
    requestHeaders: [`X-Ask-${name}`],
    responseHeaders: [`X-Tell-${name}`],
  })

  it('come around routes of any kind, each around those before it, and name headers to pages of other origins', async () => {
    const extensions = [marking('GET', 'a'), marking('PATCH', 'b'), marking('GET', 'c')]
    const Origin = 'https://page.example'
    const options = { extensions, corsOrigins: new Set([Origin]) }
    const { get, patch, app, d1 } = await startService(undefined, options)
    await insert(d1, 'people', person('p1'))
    const { status, headers } = await get('/people/p1', { headers: { Origin } })
    expect([status, headers.get('X-Marks')]).toEqual([200, 'a, c'])
    expect(headers.get('Access-Control-Expose-Headers')).toContain('X-Tell-a, X-Tell-b, X-Tell-c')
    const data = { type: 'people', id: 'p1', attributes: { born: 1 } }
    expect((await patch('/people/p1', { data })).headers.get('X-Marks')).toBe('b')
    const preflight = { Origin, 'Access-Control-Request-Method': 'GET' }
    const asked = await app.request('/root/people', { method: 'OPTIONS', headers: preflight })
    expect(asked.headers.get('Access-Control-Allow-Headers')).toContain('X-Ask-a, X-Ask-b, X-Ask-c')
  })
})

/** Who sends a request, its method and its headers. */
type Sent = Readonly<Record<string, string>>

describe('a route of another media type', () => {
  const mediaType = 'text/plain'

  /** The second domain with the label of an article, for whoever may read articles. */
  async function labelled() {
    const service = await startService()
    const { services, app, d1 } = service
    await insert(d1, 'articles', article('a1', { title: 'Loud' }))
    const definition = services.registry.get('articles')
    const rule = { access: readers }
    const endpoint = {
      ...{ definition, subject: definition, relationship: undefined, declared: undefined, rule },
      operation: 'get' as const,
    }
    const label = served(services, {
      ...readRoute(endpoint, services),
      path: '/articles/:id/label.txt',
      name: 'articles.label',
      mediaType,
      async answer(c, request, service) {
        const answer = await read(service, request)
        const { title } = JSON.parse(answer.body ?? '').data.attributes
        return respondRead(c, { ...answer, mediaType, body: new TextEncoder().encode(title) })
      },
    })
    addRoutes(app, createRegistry([]), '/root', [label])
    const send = (path: string, { as = 'reader', method = 'GET', ...headers }: Sent = {}) =>
      app.request(`/root/articles/${path}`, {
        method,
        headers: { Authorization: `Bearer ${as}`, ...headers },
      })
    return { ...service, send }
  }

  it('answers in its media type, by the rules of any route', async () => {
    const { send } = await labelled()
    const answer = await send('a1/label.txt', { Accept: `${mediaType}, */*;q=0` })
    expect([answer.status, await answer.text()]).toEqual([200, 'Loud'])
    expect(answer.headers.get('Content-Type')).toBe(mediaType)
    const tag = answer.headers.get('ETag') ?? ''
    expect((await send('a1/label.txt', { 'If-None-Match': tag })).status).toBe(304)
    expect(vi.mocked(console.log).mock.lastCall?.[0]).toContain('articles.label')
    const options = await send('a1/label.txt', { method: 'OPTIONS' })
    expect(options.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  })

  it.each<[status: number, path: string, sent: Sent]>([
    [401, 'a1/label.txt', { as: 'nobody' }],
    [403, 'a1/label.txt', { as: 'client' }],
    [404, 'a9/label.txt', {}],
    [405, 'a1/label.txt', { method: 'POST' }],
    [406, 'a1/label.txt', { Accept: 'application/vnd.api+json' }],
    [400, 'a1/label.txt?sort=title', {}],
    [412, 'a1/label.txt', { 'If-Match': '"other"' }],
  ])('is refused with %i, in JSON:API, at %s with %j', async (status, path, options) => {
    const { send } = await labelled()
    const refused = await send(path, options)
    expect([refused.status, refused.headers.get('Content-Type')]).toEqual([
      status,
      'application/vnd.api+json',
    ])
    const detail = ((await refused.json()) as { errors: { detail: string }[] }).errors[0]?.detail
    expect(detail).toContain(status === 406 ? 'send text/plain in it,' : '')
  })
})
