import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fortune from 'fortune'
import fortuneHttp from 'fortune-http'
import jsonApi from 'fortune-json-api'
import nedb from 'fortune-nedb'
import { readData } from './data.ts'
import { createGuard, options, ready } from './guard.ts'

// Fortune with its JSON:API serializer, over NeDB in memory. The store that it brings itself copies all records of
// a type for each page.
const { countries, currencies, people } = await readData(options.people)
const types = {
  currency: { name: String, symbol: String },
  country: { name: String, region: String, currencies: Array('currency') },
  user: {
    fullName: String,
    email: String,
    addresses: Object,
    citizenships: Array('country'),
    placeOfBirth: 'country',
    relatives: Array('user'),
  },
}
const store = fortune(types, { adapter: [nedb] })
await store.create('currency', [...currencies])
await store.create(
  'country',
  countries.map((country) => ({ ...country, currencies: [...country.currencies] })),
)
// The store takes links to records that exist only: people first, then their relatives.
await store.create(
  'user',
  people.map(({ id, fullName, email, addresses, citizenships, placeOfBirth }) => ({
    id,
    fullName,
    email,
    addresses: [...addresses],
    citizenships: [...citizenships],
    placeOfBirth,
    relatives: [],
  })),
)
const chunk = 1_000
for (let start = 0; start < people.length; start += chunk) {
  await store.update(
    'user',
    people.slice(start, start + chunk).map(({ id, relatives }) => ({
      id,
      replace: { relatives: relatives.map(([other]) => other) },
    })),
  )
}

const guard = createGuard(options)
const listener = fortuneHttp(store, {
  serializers: [[jsonApi, { prefix: '/jsonapi', jsonSpaces: 0, inflectKeys: false }]],
})
const server = createServer(async (request, response) => {
  const { status, headers } = await guard(request.headers.authorization, request.url ?? '')
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value)
  }
  if (status !== 200) {
    response.writeHead(status).end()
    return
  }
  listener(request, response).catch(() => {})
})
server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port))
