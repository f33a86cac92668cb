// The whole way with Kitsu, which turns documents into plain objects: attributes and related resources are their members.
import Kitsu from 'kitsu'
import { createPatientFetch } from '../typescript/src/patient-fetch.ts'
import { api, machineToken, personToken } from './sign-in.ts'

interface User {
  readonly id: string
  readonly fullName?: string
  readonly addresses?: readonly { readonly city?: string }[]
  readonly placeOfBirth?: { readonly data: Country }
}

interface Country {
  readonly id: string
  readonly name?: string
  readonly currencies?: {
    readonly data: readonly { readonly id: string; readonly name?: string }[]
  }
}

/** What Kitsu throws for an error document. */
interface Refusal {
  readonly errors: readonly {
    readonly code: string
    readonly source?: { readonly pointer?: string }
  }[]
  readonly response: { readonly status: number }
}

/** A client of one caller. Types and paths stay as they are, and axios sends by another `fetch`. */
function connect(token: string): Kitsu {
  return new Kitsu({
    baseURL: api,
    headers: { Authorization: `Bearer ${token}` },
    camelCaseTypes: false,
    resourceCase: 'none',
    pluralize: false,
    axiosOptions: { adapter: 'fetch', env: { fetch: createPatientFetch() } },
  })
}

/** Reads page after page: each names the next one, until `links.next` is null. */
async function* pages(client: Kitsu, path: string, params: object) {
  let page = await client.get(path, { params })
  yield page
  while (page.links.next) {
    // A link begins at the root of the host.
    page = await client.request({ url: new URL(page.links.next, api).href, type: path })
    yield page
  }
}

/** Creates a user once: with the key, the request is sent again when its answer is lost. */
async function create(client: Kitsu, user: object): Promise<User> {
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  return (await client.create('users', user, { headers })).data
}

/** Edits a user as it was read. If somebody else was faster, the answer is a 412: read again, edit again. */
async function edit(client: Kitsu, id: string, change: (user: User) => object): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { data, headers } = await client.get(`users/${id}`)
    try {
      await client.update(
        'users',
        { id, ...change(data) },
        { headers: { 'If-Match': headers.etag } },
      )
      return
    } catch (error) {
      if (!isRefusal(error) || error.response.status !== 412 || attempt === 5) {
        throw error
      }
    }
  }
}

function isRefusal(error: unknown): error is Refusal {
  return typeof error === 'object' && error !== null && 'errors' in error
}

// A machine reads what is nobody's: countries with the currencies that are used there.
const machine = connect(await machineToken())
const countries = new Set<string>()
const currencies = new Set<string>()
const europe = { filter: { region: 'Europe' }, include: 'currencies' }
for await (const page of pages(machine, 'countries', europe)) {
  for (const country of page.data as readonly Country[]) {
    countries.add(country.id)
    for (const { id } of country.currencies?.data ?? []) {
      currencies.add(id)
    }
  }
}
console.log(`${countries.size} countries of Europe use ${currencies.size} currencies.`)

// A person creates a user, which they own from then on.
const person = connect(await personToken())
const email = `tove.${crypto.randomUUID()}@example.com`
const { id } = await create(person, {
  fullName: 'Tove Reise',
  email,
  addresses: [{ city: 'Oslo' }],
  placeOfBirth: { data: { type: 'countries', id: 'NO' } },
})

await edit(person, id, ({ addresses = [] }) => ({ addresses: [...addresses, { city: 'Bergen' }] }))

// One request brings the country along, and its currencies.
const include = 'placeOfBirth.currencies'
const { data: user }: { data: User } = await person.get(`users/${id}`, { params: { include } })
const { name, currencies: money } = user.placeOfBirth?.data ?? {}
const names = [name, ...(money?.data.map((currency) => currency.name) ?? [])]
console.log(
  `${user.fullName} has addresses in ${user.addresses?.map(({ city }) => city).join(', ')}.`,
)
console.log(`Her place of birth brings along ${names.join(', ')}.`)

// An e-mail address belongs to one user: the error says which member is at fault.
try {
  await create(person, { fullName: 'Tove Again', email })
} catch (error) {
  if (!isRefusal(error)) {
    throw error
  }
  for (const { code, source } of error.errors) {
    console.log(`Refused: ${code} at ${source?.pointer}.`)
  }
}

await person.delete('users', id)
console.log('Deleted.')
