import type { LimitRules, TokenBucket } from './bucket.ts'
import { openCard } from './card.ts'
import { countriesPage, countryWithCurrencies, reference } from './countries.ts'
import { type Caller, callerOf, type TokenRules } from './token.ts'
import {
  type Document,
  include,
  pageSql,
  pageWithRelativesSql,
  type UserRow,
  userDocument,
  userSql,
  usersPage,
} from './users.ts'

export { TokenBucket } from './bucket.ts'

interface Env extends TokenRules, LimitRules {
  readonly DB: D1Database
  readonly RATE_LIMITER: DurableObjectNamespace<TokenBucket>
  readonly CARD_KEYS: string
}

const mediaType = 'application/vnd.api+json'
const root = '/jsonapi'

/** Headers of every answer. */
const base = {
  Vary: 'Accept, Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}

/** The answer, before the verdict of the limiter. */
interface Reply {
  readonly status: number
  readonly json?: string
  readonly cache?: string
  /** Of the user that is shown or written. */
  readonly revision?: string
}

const refused: Reply = { status: 400 }

export default {
  /**
   * The six requests of the benchmark, and nothing else, with the least that their answers need: no
   * framework, one statement, JSON put together from strings, a line in the log. Errors have no body.
   */
  async fetch(request: Request, env: Env): Promise<Response> {
    const start = Date.now()
    const requestId = crypto.randomUUID()
    const response = await answer(request, env, requestId)
    const { status } = response
    const [level, event, limit] = ['info', 'request', status === 429 ? 'refused' : 'allowed']
    const ms = Date.now() - start
    console.log(
      JSON.stringify({ level, event, requestId, method: request.method, status, limit, ms }),
    )
    return response
  },
}

async function answer(request: Request, env: Env, requestId: string): Promise<Response> {
  const { headers, method } = request
  const start = request.url.indexOf('/', 8)
  const query = request.url.indexOf('?', start)
  const path = request.url.slice(start, query < 0 ? undefined : query)
  const search = query < 0 ? '' : request.url.slice(query)
  const accept = headers.get('Accept')
  if (accept !== mediaType && accept !== '*/*') {
    return new Response(null, { status: 406 })
  }
  const known = callerOf(headers.get('Authorization'), env)
  const caller = known instanceof Promise ? await known : known
  if (!caller) {
    return new Response(null, { status: 401 })
  }

  const isWrite = method !== 'GET'
  const cost = isWrite ? 5 : costOf(path, search)
  const asked = env.RATE_LIMITER.getByName(caller.bucket).takeTokens(cost)
  let reply: Reply
  let left: number
  if (isWrite) {
    left = await asked
    reply = left < 0 ? refused : await patch(request, env, caller, path)
  } else {
    ;[left, reply] = await Promise.all([asked, read(env, caller, path, search)])
  }
  const limit = {
    'X-RateLimit-Burst-Capacity': env.RATE_LIMIT_BURST_CAPACITY,
    'X-RateLimit-Remaining': String(Math.max(0, left)),
    'X-RateLimit-Replenish-Rate': env.RATE_LIMIT_REPLENISH_RATE,
    'X-RateLimit-Requested-Tokens': String(cost),
    'X-Request-Id': requestId,
  }
  if (left < 0) {
    return new Response(null, { status: 429, headers: { ...base, ...limit } })
  }
  const { status, json, cache, revision } = reply
  const prefix = revision === undefined ? '' : `${revision}.`
  const more = cache === undefined ? limit : { ...limit, 'Cache-Control': cache }
  if (json === undefined) {
    const tag = revision === undefined ? more : { ...more, ETag: `"${prefix}"` }
    return new Response(null, { status, headers: { ...base, ...tag } })
  }
  const body = new TextEncoder().encode(json)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body), 0, 16)
  const etag = `"${prefix}${btoa(String.fromCharCode(...digest)).slice(0, 22)}"`
  if (headers.get('If-None-Match') === etag) {
    return new Response(null, { status: 304, headers: { ...base, ...limit, ETag: etag } })
  }
  return new Response(body, {
    status,
    headers: { ...base, ...more, 'Content-Type': mediaType, ETag: etag },
  })
}

/** The price of a read: of a page with three includes eight tokens, of a country with its currencies two. */
function costOf(path: string, search: string): number {
  const included = path === `${root}/users` ? 8 : 2
  return search === '' ? 1 : included
}

async function read(env: Env, caller: Caller, path: string, search: string): Promise<Reply> {
  if (path.startsWith(`${root}/users`) && !mayRead(caller)) {
    return { status: 403 }
  }
  if (path === `${root}/users`) {
    return readPage(env, caller, search)
  }
  if (path.startsWith(`${root}/users/`)) {
    return search === '' ? readUser(env, caller, path.slice(root.length + 7)) : refused
  }
  const cache = 'private, max-age=3600'
  if (path === `${root}/countries` && search === '') {
    return { status: 200, json: countriesPage(await reference(env.DB)), cache }
  }
  if (path.startsWith(`${root}/countries/`) && search === '?include=currencies') {
    const json = countryWithCurrencies(await reference(env.DB), path.slice(root.length + 11))
    return json === undefined ? { status: 404 } : { status: 200, json, cache }
  }
  return { status: 404 }
}

async function readPage(env: Env, caller: Caller, search: string): Promise<Reply> {
  const isInclude = search === `?${include}`
  if (search !== '' && !isInclude) {
    return refused
  }
  const statement = env.DB.prepare(isInclude ? pageWithRelativesSql : pageSql).bind(caller.subject)
  const [rows, data] = await Promise.all([
    statement.raw() as unknown as Promise<UserRow[]>,
    isInclude ? reference(env.DB) : undefined,
  ])
  const own = rows.find((row) => row[6] !== null)
  return reply(usersPage(rows, search, own && (await cardOf(own, env)), data))
}

async function readUser(env: Env, caller: Caller, id: string): Promise<Reply> {
  const rows = await env.DB.prepare(userSql).bind(caller.subject, id).raw()
  const row = rows[0] as unknown as UserRow | undefined
  const card = row && row[6] !== null ? await cardOf(row, env) : undefined
  return row ? reply(userDocument(row, '', card)) : { status: 404 }
}

/** PATCH of a user's name. */
async function patch(request: Request, env: Env, caller: Caller, path: string): Promise<Reply> {
  const id = path.slice(root.length + 7)
  if (request.headers.get('Content-Type') !== mediaType) {
    return { status: 415 }
  }
  if (!caller.scopes.has('users.write')) {
    return { status: 403 }
  }
  const text = await request.text()
  if (text.length > 65_536 || !text.isWellFormed() || text.includes('\0')) {
    return refused
  }
  const { data } = JSON.parse(text)
  const { fullName, ...others } = data.attributes
  const isName =
    typeof fullName === 'string' &&
    fullName === fullName.trim() &&
    fullName !== '' &&
    fullName.length <= 128
  if (data.type !== 'users' || data.id !== id || !isName || Object.keys(others).length > 0) {
    return refused
  }
  const key = fullName
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  const revision = crypto.randomUUID()
  const rows = await env.DB.prepare(
    'UPDATE users SET full_name = ?1, full_name_key = ?2, revision = ?3 WHERE id = ?4 AND owner = ?5 RETURNING 1',
  )
    .bind(fullName, key, revision, id, caller.subject)
    .raw()
  return rows.length > 0 ? { status: 204, cache: 'private, no-cache', revision } : { status: 404 }
}

function mayRead({ scopes }: Caller): boolean {
  return (
    scopes.has('users.read') &&
    scopes.has('users.citizenships.read') &&
    scopes.has('users.sensitive.read')
  )
}

function cardOf(row: UserRow, { CARD_KEYS }: Env): Promise<string> {
  return openCard(row[6] ?? '', row[1], CARD_KEYS)
}

function reply({ json, sensitive, revision }: Document): Reply {
  const cache = sensitive ? 'private, no-store' : 'private, no-cache'
  return { status: 200, json, cache, ...(revision !== undefined && { revision }) }
}
