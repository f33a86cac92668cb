import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { etag } from 'hono/etag'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { Linker, Metaizer, Paginator, Relator, Serializer } from 'ts-japi'
import * as z from 'zod'
import type { LimitRules, TokenBucket } from '../floor/bucket.ts'
import type { TokenRules } from '../floor/token.ts'
import {
  type Country,
  type Currency,
  countriesSql,
  type Person,
  type User,
  usersSql,
} from './rows.ts'

export { TokenBucket } from '../floor/bucket.ts'

// What one would take in place of the service: a serializer from npm on Hono, over one statement of D1. What a serializer leaves to
// others is done by middleware of Hono and by jose. The limit is that of the floor.

interface Env extends TokenRules, LimitRules {
  readonly DB: D1Database
  readonly RATE_LIMITER: DurableObjectNamespace<TokenBucket>
}

// The library takes absolute URLs only.
const base = 'http://127.0.0.1/jsonapi'
const self = (type: string) => ({ resource: new Linker(({ id }) => `${base}/${type}/${id}`) })
const to = <From extends object, To extends object>(
  type: string,
  relatedName: string,
  read: (from: From) => To[] | To,
  serializer: Serializer<To>,
) => {
  const relationship = new Linker(({ id }) => `${base}/${type}/${id}/relationships/${relatedName}`)
  const options = { linkers: { relationship }, relatedName }
  return new Relator<From, To>(async (from) => read(from), serializer, options)
}
const version = '1.1'
const ofCurrency = { version, projection: { name: 1, symbol: 1 } } as const
const ofCountry = {
  version,
  linkers: self('countries'),
  projection: { name: 1, region: 1 },
} as const
const ofUser = {
  version,
  linkers: self('users'),
  projection: { fullName: 1, email: 1, addresses: 1 },
} as const
const currencies = new Serializer<Currency>('currencies', ofCurrency)
const includedCountries = new Serializer<Country>('countries', ofCountry)
const includedUsers = new Serializer<Person>('users', ofUser)
const countries = new Serializer<Country>('countries', {
  ...ofCountry,
  relators: {
    currencies: to('countries', 'currencies', (of: Country) => of.currencies ?? [], currencies),
  },
})
const users = new Serializer<User>('users', {
  ...ofUser,
  relators: {
    citizenships: to('users', 'citizenships', (of: User) => of.citizenships, includedCountries),
    placeOfBirth: to('users', 'placeOfBirth', (of: User) => of.placeOfBirth, includedCountries),
    relatives: to('users', 'relatives', (of: User) => of.relatives, includedUsers),
  },
})

const mediaType = 'application/vnd.api+json'
const headers = { 'Content-Type': mediaType }
const list = z.string().transform((text) => text.split(','))
const includeOf = <const Names extends readonly string[]>(names: Names) =>
  z.strictObject({ include: list.pipe(z.array(z.enum(names))).optional() })
const userInclude = includeOf(['citizenships', 'relatives', 'placeOfBirth'])
const countryInclude = includeOf(['currencies'])

let keys: JWTVerifyGetKey | undefined
const app = new Hono<{ Bindings: Env }>()
app.use(requestId(), secureHeaders(), async (c, next) => {
  const { JWKS_URL, TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, RATE_LIMITER } = c.env
  keys ??= createRemoteJWKSet(new URL(JWKS_URL))
  const token = c.req.header('Authorization')?.slice('Bearer '.length) ?? ''
  const options = { issuer, audience, algorithms: ['ES256'], requiredClaims: ['exp', 'sub'] }
  const verified = await jwtVerify(token, keys, options).catch(() => undefined)
  if (!verified) {
    return c.body(null, 401)
  }
  const left = await RATE_LIMITER.getByName(String(verified.payload.sub)).take(1)
  if (left < 0) {
    return c.body(null, 429)
  }
  if (c.req.header('Accept') !== mediaType) {
    return c.body(null, 406)
  }
  await next()
  c.res.headers.set('X-RateLimit-Remaining', String(left))
  console.log(JSON.stringify({ id: c.get('requestId'), path: c.req.path, status: c.res.status }))
})
app.use(etag())

/** The resources of rows that hold one each, as JSON. */
async function resourcesOf<Resource>(statement: D1PreparedStatement): Promise<Resource[]> {
  const rows = await statement.raw<[string]>()
  return rows.map(([json]) => JSON.parse(json))
}

app.get('/jsonapi/users', zValidator('query', userInclude), async (c) => {
  const { include = [] } = c.req.valid('query')
  const page = await resourcesOf<User>(c.env.DB.prepare(usersSql(include)))
  const total = page[0]?.total ?? 0
  const link = (start: number): string => `${base}/users?page[offset]=${start}`
  const links = { first: link(0), last: link(total - 20), prev: null, next: link(20) }
  const document = await users.serialize(page, {
    include,
    metaizers: { document: new Metaizer(() => ({ pagination: { totalItems: total } })) },
    linkers: { ...self('users'), paginator: new Paginator(() => links) },
  })
  return c.body(JSON.stringify(document), 200, headers)
})
app.get('/jsonapi/countries', zValidator('query', countryInclude), async (c) => {
  const { include = [] } = c.req.valid('query')
  const page = await resourcesOf<Country>(c.env.DB.prepare(countriesSql(include)))
  return c.body(JSON.stringify(await countries.serialize(page, { include })), 200, headers)
})
app.get('/jsonapi/countries/:id', zValidator('query', countryInclude), async (c) => {
  const { include = [] } = c.req.valid('query')
  const statement = c.env.DB.prepare(countriesSql(include, 'WHERE id = ?'))
  const [country] = await resourcesOf<Country>(statement.bind(c.req.param('id')))
  if (!country) {
    return c.body(null, 404)
  }
  return c.body(JSON.stringify(await countries.serialize(country, { include })), 200, headers)
})

export default app
