// The whole way with the client that hey-api generates.
import { createPatientFetch } from '../typescript/src/patient-fetch.ts'
import { type Client, createClient } from './generated/hey-api/client/index.ts'
import {
  createUser,
  deleteUser,
  getUser,
  listCountries,
  updateUser,
} from './generated/hey-api/sdk.gen.ts'
import type {
  ErrorDocument,
  ListCountriesResponse,
  User,
  UserCreate,
  UserUpdate,
} from './generated/hey-api/types.gen.ts'
import { api, machineToken, personToken } from './sign-in.ts'

/** A client of one caller. */
function connect(token: string): Client {
  return createClient({ baseUrl: api, auth: token, fetch: createPatientFetch() })
}

/** Reads page after page: each names the next one, until `links.next` is null. */
async function* pages(client: Client, first: ListCountriesResponse) {
  let page = first
  yield page
  while (page.links.next) {
    // A link begins at the root of the host.
    const { data } = await client.get<{ 200: ListCountriesResponse }, unknown, true>({
      baseUrl: new URL(api).origin,
      url: page.links.next,
      security: [{ type: 'http', scheme: 'bearer' }],
      throwOnError: true,
    })
    page = data
    yield page
  }
}

/** Creates a user once: with the key, the request is sent again when its answer is lost. */
function create(client: Client, data: UserCreate['data']) {
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  return createUser({ client, headers, body: { data } })
}

/** Edits a user as it was read. If somebody else was faster, the answer is a 412: read again, edit again. */
async function edit(
  client: Client,
  id: string,
  change: (attributes: NonNullable<User['attributes']>) => UserUpdate['data']['attributes'],
): Promise<void> {
  const path = { id }
  for (let attempt = 1; ; attempt++) {
    const { data, response } = await getUser({ client, path, throwOnError: true })
    const headers = { 'If-Match': response.headers.get('ETag') ?? '' }
    const attributes = change(data.data.attributes ?? {})
    const body: UserUpdate = { data: { type: 'users', id, attributes } }
    const sent = await updateUser({ client, path, headers, body })
    if (!sent.error) {
      return
    }
    if (sent.response?.status !== 412 || attempt === 5) {
      throw refusal(sent.error)
    }
  }
}

/** An error document as an error; a lost connection is one already. */
function refusal(error: ErrorDocument | Error): Error {
  return error instanceof Error
    ? error
    : new Error(error.errors.map(({ detail }) => detail).join(' '))
}

// A machine reads what is nobody's: countries with the currencies that are used there.
const machine = connect(await machineToken())
const countries = new Set<string>()
const currencies = new Set<string>()
const europe = await listCountries({
  client: machine,
  query: { 'filter[region]': ['Europe'], include: ['currencies'] },
  throwOnError: true,
})
for await (const page of pages(machine, europe.data)) {
  for (const { id } of page.data) {
    countries.add(id)
  }
  for (const { id } of page.included ?? []) {
    currencies.add(id)
  }
}
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
const { data } = await getUser({
  client: person,
  path: { id },
  query: { include: ['placeOfBirth.currencies'] },
  throwOnError: true,
})
const { fullName, addresses = [] } = data.data.attributes ?? {}
const names = data.included?.map((one) => (one.type === 'users' ? one.id : one.attributes?.name))
console.log(`${fullName} has addresses in ${addresses.map(({ city }) => city).join(', ')}.`)
console.log(`Her place of birth brings along ${names?.join(', ')}.`)

// An e-mail address belongs to one user: the error says which member is at fault.
const again = await create(person, { type: 'users', attributes: { fullName: 'Tove Again', email } })
for (const { code, source } of again.error?.errors ?? []) {
  console.log(`Refused: ${code} at ${source?.pointer}.`)
}

await deleteUser({ client: person, path: { id }, throwOnError: true })
console.log('Deleted.')
