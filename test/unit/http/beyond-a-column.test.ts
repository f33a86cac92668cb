import { gte, like } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { computed, filterBy } from '../../../src/db/stored.ts'
import { addRoutes } from '../../../src/http/paths.ts'
import { respondRead } from '../../../src/http/respond.ts'
import { readRoute } from '../../../src/http/routes.ts'
import { type Capability, serveRoute } from '../../../src/http/serve.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { type AccessRule, anyone } from '../../../src/jsonapi/declare/resource.ts'
import { encodeCursor, scopeOf } from '../../../src/jsonapi/request/cursor.ts'
import { runRead } from '../../../src/jsonapi/run/read-operation.ts'
import { articles as plainArticles } from '../db/second-domain/articles.ts'
import { article, insert, person } from '../db/second-domain/domain.ts'
import { people as plainPeople } from '../db/second-domain/people.ts'
import { articles as articleTable, people as peopleTable } from '../db/second-domain/tables.ts'
import { tags } from '../db/second-domain/tags.ts'
import { describeOther } from '../openapi/second-domain.ts'
import type { Call } from './app-options.ts'
import { startService } from './service.ts'

const keeper: AccessRule = [{ scopes: ['articles.read'], owner: true }]
const readers: AccessRule = [{ scopes: ['articles.read'] }]

const { title, words } = articleTable
const { born } = peopleTable

/** What is computed: a text for everybody, and an object for the owner. */
const articles = {
  ...plainArticles,
  attributes: {
    ...plainArticles.attributes,
    shout: {
      ...{ schema: () => z.string(), readOnly: true as const, access: anyone },
      stored: computed({ title }, (row) =>
        row.title === 'Silent' ? null : row.title.toUpperCase(),
      ),
    },
    measure: {
      schema: () => z.object({ words: z.nullable(z.int()), half: z.int() }),
      stored: computed({ words }, (row) => ({ words: row.words, half: (row.words ?? 0) / 2 })),
      ...{ readOnly: true as const, access: keeper },
    },
  },
}

const start = () =>
  z
    .string()
    .check(z.regex(/^[\w, ]+$/, 'must be a beginning of a nickname'), z.meta({ examples: ['A'] }))
const people = {
  ...plainPeople,
  attributes: {
    ...plainPeople.attributes,
    decade: {
      ...{ schema: () => z.int(), readOnly: true as const, access: anyone },
      stored: computed({ born }, (row) => row.born - (row.born % 10)),
    },
  },
  filters: {
    'born.from': {
      ...{ description: 'People who were born from then on.', access: anyone },
      schema: () => z.string().check(z.regex(/^\d{4}$/)),
      stored: filterBy(peopleTable, (table, year) => gte(table.born, Number(year))),
    },
    called: {
      ...{ description: 'People whose nicknames begin like this.', schema: start, access: readers },
      stored: filterBy(peopleTable, ({ nickname }, text) => like(nickname, `${text}%`)),
    },
  },
}

const registry = createRegistry([articles, people, tags])

async function stocked() {
  const service = await startService(undefined, { registry })
  const { d1 } = service
  await insert(d1, 'people', person('p1', { nickname: 'Oslo, Norway', born: 1971 }))
  await insert(d1, 'people', person('p2', { nickname: 'Oslo, Minnesota', born: 1982 }))
  await insert(d1, 'people', person('p3', { nickname: 'Bergen', born: 1993 }))
  await insert(d1, 'follows', ...['p2', 'p3'].map((followed) => ({ follower: 'p1', followed })))
  await insert(d1, 'articles', article('a1', { title: 'Loud', words: 6, author: 'p1' }))
  await insert(d1, 'articles', article('a2', { title: 'Silent', keeper: 'bob' }))
  return service
}

describe('a computed attribute', () => {
  it('is shown to those whom its access admits, of each resource, at its own level and included, and in a create', async () => {
    const { get, post } = await stocked()
    const shown = async (path: string, as: 'ann' | 'client') =>
      [(await get(path, { as })).document.data].flat().map(({ attributes }) => attributes)
    const fields = 'fields[articles]=shout,measure.half'
    const first = { shout: 'LOUD', measure: { half: 3 } }
    expect(await shown(`/articles?${fields}`, 'ann')).toEqual([first, undefined])
    expect(await shown(`/articles/a1?${fields}`, 'client')).toEqual([{ shout: 'LOUD' }])
    const { included } = (await get('/articles/a1?include=author')).document
    expect(included).toMatchObject([{ id: 'p1', attributes: { decade: 1970 } }])
    const attributes = { title: 'New', handle: 'new', section: 'News' }
    const made = await post('/articles', { data: { type: 'articles', attributes } })
    expect(made.document.data.attributes).toMatchObject({ shout: 'NEW', measure: { half: 0 } })
  })

  it('is not written, sorted or filtered by, and the description says so', async () => {
    const { get, patch } = await stocked()
    const data = { type: 'articles', id: 'a1', attributes: { shout: 'X' } }
    const { document } = await patch('/articles/a1', { data })
    expect(document.errors).toMatchObject([{ source: { pointer: '/data/attributes/shout' } }])
    for (const query of ['sort=shout', 'filter[shout]=LOUD']) {
      expect((await get(`/articles?${query}`)).status).toBe(400)
    }
    const { Articles, ArticlesUpdate } = describeOther(registry).document.components.schemas
    const { shout } = Articles.properties.attributes.properties
    expect(shout).toMatchObject({ type: 'string', readOnly: true })
    const { attributes } = ArticlesUpdate.properties.data.properties
    expect(attributes.properties).not.toHaveProperty('shout')
  })
})

describe('a filter that is no attribute', () => {
  it('finds what its expression holds for, in collections and relationships, beside other filters, sorts and cursors', async () => {
    const { get } = await stocked()
    const ids = async (path: string) =>
      (await get(path)).document.data.map(({ id }: { id: string }) => id)
    const from = 'filter[born.from]=1980'
    expect(await ids(`/people?${from}`)).toEqual(['p2', 'p3'])
    expect(await ids('/people?filter[born.from]=1990')).toEqual(['p3'])
    expect(await ids(`/people?${from}&filter[id]=p1,p2`)).toEqual(['p2'])
    expect(await ids(`/people/p1/relationships/follows?${from}&sort=-born`)).toEqual(['p3', 'p2'])
    expect(await ids('/people/p1/follows?filter[called]=B')).toEqual(['p3'])
    // A comma is part of the text.
    expect(await ids('/people?filter[called]=Oslo, M')).toEqual(['p2'])
    const cursor = encodeCursor(scopeOf('/root/people', [], { 'born.from': ['1980'] }), 'p2', 20)
    expect(await ids(`/people?${from}&page[cursor]=${cursor}`)).toEqual(['p3'])
    expect((await get(`/people?page[cursor]=${cursor}`)).status).toBe(400)
  })

  it('is refused with its own message, has an access and an example of its own, and the price of any filter', async () => {
    const { get, roundTrips } = await stocked()
    roundTrips.length = 0
    const source = { parameter: 'filter[called]' }
    const wrong = await get('/people?filter[called]=%25')
    const detail = '"%" must be a beginning of a nickname.'
    expect(wrong.document.errors).toMatchObject([{ detail, source }])
    const foreign = await get('/people?filter[called]=O', { as: 'admin' })
    expect(foreign.document.errors).toMatchObject([{ code: 'INVALID_ENUM_VALUE', source }])
    expect(roundTrips).toEqual([])
    const { headers } = await get('/people/p1/follows?filter[called]=O')
    expect(headers.get('X-RateLimit-Requested-Tokens')).toBe('3')
    const { parameters = [] } = describeOther(registry).operationOf('listPeople') ?? {}
    expect(parameters.find(({ name }) => name === 'filter[called]')).toMatchObject({
      description: 'People whose nicknames begin like this.',
      example: 'A',
    })
  })
})

/** Marks the answers of routes with a method. */
const marking = (method: string, name: string): Capability => ({
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

it('capabilities come around routes of any kind, each around those before it, and name headers to pages of other origins', async () => {
  const capabilities = [marking('GET', 'a'), marking('PATCH', 'b'), marking('GET', 'c')]
  const Origin = 'https://page.example'
  const options = { capabilities, corsOrigins: new Set([Origin]) }
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

type Sent = Call & { readonly method?: string }

describe('a route of another media type', () => {
  const mediaType = 'text/plain'

  /** The second domain with the label of an article, for whoever may read articles. */
  async function labelled() {
    const { services, app, d1 } = await startService()
    await insert(d1, 'articles', article('a1', { title: 'Loud' }))
    const definition = services.registry.get('articles')
    const endpoint = {
      ...{ definition, subject: definition, relationship: undefined, declared: undefined },
      rule: { access: readers },
      operation: 'get' as const,
    }
    const label = serveRoute(services, {
      ...readRoute(endpoint, services),
      ...{ path: '/articles/:id/label.txt', name: 'articles.label', mediaType },
      async answer(c, request, service) {
        const answer = await runRead(service, request)
        const { title } = JSON.parse(answer.body ?? '').data.attributes
        return respondRead(c, { ...answer, mediaType, body: new TextEncoder().encode(title) })
      },
    })
    addRoutes(app, createRegistry([]), '/root', [label])
    return (path: string, { as = 'reader', method = 'GET', headers }: Sent = {}) =>
      app.request(`/root/articles/${path}`, {
        method,
        headers: { Authorization: `Bearer ${as}`, ...headers },
      })
  }

  it('answers in its media type, by the rules of any route', async () => {
    const send = await labelled()
    const answer = await send('a1/label.txt', { headers: { Accept: `${mediaType}, */*;q=0` } })
    expect([answer.status, await answer.text()]).toEqual([200, 'Loud'])
    expect(answer.headers.get('Content-Type')).toBe(mediaType)
    const tag = answer.headers.get('ETag') ?? ''
    expect((await send('a1/label.txt', { headers: { 'If-None-Match': tag } })).status).toBe(304)
    expect(vi.mocked(console.log).mock.lastCall?.[0]).toContain('articles.label')
    const options = await send('a1/label.txt', { method: 'OPTIONS' })
    expect(options.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  })

  it.each<[status: number, path: string, sent: Sent]>([
    [401, 'a1/label.txt', { as: 'nobody' }],
    [403, 'a1/label.txt', { as: 'client' }],
    [404, 'a9/label.txt', {}],
    [405, 'a1/label.txt', { method: 'POST' }],
    [406, 'a1/label.txt', { headers: { Accept: 'application/vnd.api+json' } }],
    [400, 'a1/label.txt?sort=title', {}],
    [412, 'a1/label.txt', { headers: { 'If-Match': '"other"' } }],
  ])('is refused with %i, in JSON:API, at %s with %j', async (status, path, options) => {
    const send = await labelled()
    const refused = await send(path, options)
    const type = refused.headers.get('Content-Type')
    expect([refused.status, type]).toEqual([status, 'application/vnd.api+json'])
    const detail = ((await refused.json()) as { errors: { detail: string }[] }).errors[0]?.detail
    expect(detail).toContain(status === 406 ? 'send text/plain in it,' : '')
  })
})
