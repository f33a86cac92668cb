// The whole way with openapi-typescript, which writes the types, and openapi-fetch, which reads them.
import createClient, { type Client } from 'openapi-fetch'
import { createPatientFetch } from '../typescript/src/patient-fetch.ts'
import type { components, paths } from './generated/openapi.ts'
import { api, machineToken, personToken } from './sign-in.ts'

type Schemas = components['schemas']
type Attributes = NonNullable<Schemas['User']['attributes']>

/** A client of one caller. Lists go in one value, and bodies have the media type of JSON:API. */
function connect(token: string): Client<paths> {
  return createClient<paths>({
    baseUrl: api,
    fetch: createPatientFetch(),
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' },
    querySerializer: { array: { style: 'form', explode: false } },
  })
}

/** An error document as an error. */
function refusal({ errors }: Schemas['ErrorDocument']): Error {
  return new Error(errors.map(({ detail }) => detail).join(' '))
}

/** Creates a user once: with the key, the request is sent again when its answer is lost. */
function create(client: Client<paths>, data: Schemas['UserCreate']['data']) {
  return client.POST('/users', {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { data },
  })
}

/** Edits a user as it was read. If somebody else was faster, the answer is a 412: read again, edit again. */
async function edit(
  client: Client<paths>,
  id: string,
  change: (attributes: Attributes) => Schemas['UserUpdate']['data']['attributes'],
): Promise<void> {
  const path = { id }
  for (let attempt = 1; ; attempt++) {
    const { data, error, response } = await client.GET('/users/{id}', { params: { path } })
    if (error) {
      throw refusal(error)
    }
    const attributes = change(data.data.attributes ?? {})
    const sent = await client.PATCH('/users/{id}', {
      params: { path, header: { 'If-Match': response.headers.get('ETag') ?? '' } },
      body: { data: { type: 'users', id, attributes } },
    })
    if (!sent.error) {
      return
    }
    if (sent.response.status !== 412 || attempt === 5) {
      throw refusal(sent.error)
    }
  }
}

// A machine reads what is nobody's: countries with the currencies that are used there.
const machine = connect(await machineToken())
const countries = new Set<string>()
const currencies = new Set<string>()
let cursor: string | undefined
do {
  const { data, error } = await machine.GET('/countries', {
    params: {
      query: { 'filter[region]': ['Europe'], include: ['currencies'], 'page[cursor]': cursor },
    },
  })
  if (error) {
    throw refusal(error)
  }
  for (const { id } of data.data) {
    countries.add(id)
  }
  for (const { id } of data.included ?? []) {
    currencies.add(id)
  }
  // The cursor of `links.next`: a client of typed paths sends it as a parameter.
  cursor = data.meta?.['pagination.nextCursor']
} while (cursor !== undefined)
console.log(`${countries.size} countries of Europe use ${currencies.size} currencies.`)

// A person creates a user, which they own from then on.
const person = connect(await personToken())
const email = `tove.${crypto.randomUUID()}@example.com`
const created = await create(person, {
  type: 'users',
  attributes: { fullName: 'Tove Reise', email, addresses: [{ city: 'Oslo' }] },
  relationships: { placeOfBirth: { data: { type: 'countries', id: 'NO' } } },
})
if (created.error) {
  throw refusal(created.error)
}
const { id } = created.data.data

await edit(person, id, ({ addresses = [] }) => ({ addresses: [...addresses, { city: 'Bergen' }] }))

// One request brings the country along, and its currencies.
const read = await person.GET('/users/{id}', {
  params: { path: { id }, query: { include: ['placeOfBirth.currencies'] } },
})
if (read.error) {
  throw refusal(read.error)
}
const { fullName, addresses = [] } = read.data.data.attributes ?? {}
const names = read.data.included?.map((one) =>
  one.type === 'users' ? one.id : one.attributes?.name,
)
console.log(`${fullName} has addresses in ${addresses.map(({ city }) => city).join(', ')}.`)
console.log(`Her place of birth brings along ${names?.join(', ')}.`)

// An e-mail address belongs to one user: the error says which member is at fault.
const again = await create(person, { type: 'users', attributes: { fullName: 'Tove Again', email } })
for (const { code, source } of again.error?.errors ?? []) {
  console.log(`Refused: ${code} at ${source?.pointer}.`)
}

const deleted = await person.DELETE('/users/{id}', { params: { path: { id } } })
if (deleted.error) {
  throw refusal(deleted.error)
}
console.log('Deleted.')
