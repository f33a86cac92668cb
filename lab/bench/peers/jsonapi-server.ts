import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import jsonApi from 'jsonapi-server'
import { readData } from './data.ts'
import { createGuard, options, ready } from './guard.ts'

/** A record as the framework takes it: attributes and links side by side. */
interface Raw {
  readonly id: string
  readonly type: string
}

/** What the framework hands to a store. */
interface Request {
  readonly params: {
    readonly id: string
    readonly page?: { readonly offset: number; readonly limit: number }
    readonly filter?: { readonly id?: string | readonly string[] }
  }
}

type Callback = (error: object | null, found?: unknown, count?: number) => void

// jsonapi-server over a store in memory. The one that it brings searches all records for an id, so that this one,
// written as its documentation shows, finds them by a map.
function store(records: readonly Raw[]): object {
  const byId = new Map(records.map((record) => [record.id, record]))
  return {
    ready: true,
    search({ params: { page, filter } }: Request, callback: Callback): void {
      const ids = filter?.id === undefined ? undefined : [filter.id].flat()
      const found = ids ? ids.flatMap((id) => byId.get(id) ?? []) : records
      const [start, count] = [page?.offset ?? 0, page?.limit ?? 50]
      const part = ids ? found : found.slice(start, start + count)
      callback(null, structuredClone(part), found.length)
    },
    find({ params }: Request, callback: Callback): void {
      const record = byId.get(params.id)
      if (record) {
        callback(null, structuredClone(record))
      } else {
        callback({ status: '404', code: 'ENOTFOUND', title: 'Not found', detail: params.id })
      }
    },
  }
}

const { countries, currencies, people } = await readData(options.people)
const { Joi } = jsonApi
const express = createRequire(createRequire(import.meta.url).resolve('jsonapi-server'))('express')
const router = express.Router()
jsonApi.setConfig({ router, base: 'jsonapi', protocol: 'http', hostname: '127.0.0.1', port: 80 })
const link = (type: string) => (id: string) => ({ type, id })
jsonApi.define({
  resource: 'currencies',
  handlers: store(currencies.map((currency) => ({ type: 'currencies', ...currency }))),
  attributes: { id: Joi.string(), name: Joi.string(), symbol: Joi.string() },
})
jsonApi.define({
  resource: 'countries',
  handlers: store(
    countries.map(({ currencies, ...country }) => ({
      type: 'countries',
      ...country,
      currencies: currencies.map(link('currencies')),
    })),
  ),
  attributes: {
    id: Joi.string(),
    name: Joi.string(),
    region: Joi.string(),
    currencies: Joi.many('currencies'),
  },
})
jsonApi.define({
  resource: 'users',
  handlers: store(
    people.map(({ id, fullName, email, addresses, citizenships, placeOfBirth, relatives }) => ({
      type: 'users',
      ...{ id, fullName, email },
      addresses: addresses.map(({ city, zip }) => `${city}, ${zip}`),
      citizenships: citizenships.map(link('countries')),
      placeOfBirth: link('countries')(placeOfBirth),
      relatives: relatives.map(([other]) => link('users')(other)),
    })),
  ),
  attributes: {
    id: Joi.string(),
    fullName: Joi.string(),
    email: Joi.string(),
    // Its GraphQL interface does not know objects as items.
    addresses: Joi.array().items(Joi.string()),
    citizenships: Joi.many('countries'),
    placeOfBirth: Joi.one('countries'),
    relatives: Joi.many('users'),
  },
})
jsonApi.start()

const guard = createGuard(options)
const app = express().disable('etag').disable('x-powered-by').use(router)
const server = createServer(async (request, response) => {
  const { status, headers } = await guard(request.headers.authorization, request.url ?? '')
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value)
  }
  if (status === 200) {
    app(request, response)
  } else {
    response.writeHead(status).end()
  }
})
server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port))
