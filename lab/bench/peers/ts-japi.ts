import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import Sqlite from 'better-sqlite3'
import { Hono } from 'hono'
import { etag } from 'hono/etag'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { Linker, Metaizer, Paginator, Relator, Serializer } from 'ts-japi'
import * as z from 'zod'
import { createDatabase } from './data.ts'
import { createGuard, options, ready } from './guard.ts'
import { type Country, type Currency, statementsOf, type User } from './ts-japi-rows.ts'

// A serializer on Hono, over SQLite inside the process: no hop to a database, statements prepared once, and one
// statement for each set of rows, however many there are. What a serializer leaves to others is done by Hono's own
// middleware, so that answers carry what the service's carry: a request id, security headers, an ETag.
const rows = statementsOf(new Sqlite(await createDatabase(options.folder, options.people)))

/** Reads from the database, with a way there and back for each statement where it is far away. */
async function far<Result>(read: () => Result): Promise<Result> {
  const before = rows.statements()
  const result = read()
  if (options.way !== undefined) {
    await sleep((rows.statements() - before) * options.way)
  }
  return result
}

// The library takes absolute URLs only.
const base = 'http://127.0.0.1/jsonapi'
const self = (type: string) => ({ resource: new Linker(({ id }) => `${base}/${type}/${id}`) })
const related = (type: string, relatedName: string) => ({
  linkers: {
    relationship: new Linker(({ id }) => `${base}/${type}/${id}/relationships/${relatedName}`),
  },
  relatedName,
})
const version = '1.1'
const currencies = new Serializer<Currency>('currencies', {
  version,
  projection: { name: 1, symbol: 1 },
})
const countries = new Serializer<Country>('countries', {
  version,
  linkers: self('countries'),
  projection: { name: 1, region: 1 },
  relators: {
    currencies: new Relator(
      async (country: Country) => country.currencies,
      currencies,
      related('countries', 'currencies'),
    ),
  },
})
const users: Serializer<User> = new Serializer<User>('users', {
  version,
  linkers: self('users'),
  projection: { fullName: 1, email: 1, addresses: 1 },
})
users.setRelators({
  citizenships: new Relator(
    async (user: User) => user.citizenships,
    countries,
    related('users', 'citizenships'),
  ),
  placeOfBirth: new Relator(
    async (user: User) => user.placeOfBirth,
    countries,
    related('users', 'placeOfBirth'),
  ),
  relatives: new Relator(
    async (user: User) => user.relatives,
    users,
    related('users', 'relatives'),
  ),
})

const mediaType = 'application/vnd.api+json'
const headers = { 'Content-Type': mediaType }
const list = z.string().transform((text) => text.split(','))
const countryInclude = list.pipe(z.array(z.literal('currencies'))).optional()
const userInclude = list.pipe(z.array(z.enum(['citizenships', 'relatives', 'placeOfBirth'])))
const offset = z.string().regex(/^\d+$/).transform(Number)
const queries = {
  country: z.strictObject({ include: countryInclude }),
  users: z.strictObject({ include: userInclude.optional(), 'page[offset]': offset.optional() }),
}

const guard = createGuard(options)
const app = new Hono()
app.use(requestId(), secureHeaders())
app.use(async (c, next) => {
  const { status, headers } = await guard(c.req.header('Authorization'), c.req.url)
  if (status !== 200) {
    return c.body(null, status, headers)
  }
  if (c.req.header('Accept') !== mediaType) {
    return c.body(null, 406)
  }
  await next()
  for (const [name, value] of Object.entries(headers)) {
    c.res.headers.set(name, value)
  }
  console.log(JSON.stringify({ id: c.get('requestId'), path: c.req.path, status: c.res.status }))
})
app.use(etag())

app.get('/jsonapi/users', zValidator('query', queries.users), async (c) => {
  const { include = [], 'page[offset]': offset = 0 } = c.req.valid('query')
  const [page, total] = await far(() => [rows.users(offset, include), rows.total()])
  const link = (start: number): string => `${base}/users?page[offset]=${start}`
  const document = await users.serialize(page, {
    include,
    metaizers: {
      document: new Metaizer(() => ({
        pagination: { totalItems: total },
        'pagination.totalItems': total,
      })),
    },
    linkers: {
      ...self('users'),
      paginator: new Paginator(() => ({
        first: link(0),
        last: link(total - 20),
        prev: null,
        next: link(offset + 20),
      })),
    },
  })
  return c.body(JSON.stringify(document), 200, headers)
})
app.get('/jsonapi/countries', zValidator('query', queries.country), async (c) => {
  const { include = [] } = c.req.valid('query')
  const page = await far(() => rows.countries(include))
  const document = await countries.serialize(page, { include })
  return c.body(JSON.stringify(document), 200, headers)
})
app.get('/jsonapi/countries/:id', zValidator('query', queries.country), async (c) => {
  const { include = [] } = c.req.valid('query')
  const [country] = await far(() => rows.country(c.req.param('id'), include))
  if (!country) {
    return c.body(null, 404)
  }
  return c.body(JSON.stringify(await countries.serialize(country, { include })), 200, headers)
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => ready(port))
