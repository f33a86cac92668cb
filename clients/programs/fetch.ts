// The whole way with `fetch` alone: no package is needed.
import { createPatientFetch } from '../typescript/src/patient-fetch.ts'
import { api, machineToken, personToken } from './sign-in.ts'

const patientFetch = createPatientFetch()

const mediaType = 'application/vnd.api+json'

/** What this program reads of a resource; an attribute that the caller may not see is missing. */
interface Resource {
  readonly type: string
  readonly id: string
  readonly attributes?: {
    readonly name?: string
    readonly fullName?: string
    readonly addresses?: readonly { readonly city?: string }[]
  }
}

interface Document<Data> {
  readonly data: Data
  readonly included?: readonly Resource[]
  readonly links: { readonly next?: string | null }
}

/** A member of `errors` (docs/guides/errors.md). */
interface Fault {
  readonly status: string
  readonly code: string
  readonly detail: string
  readonly source?: { readonly pointer?: string; readonly parameter?: string }
}

/** An error document, thrown. Programs decide by status and codes; `detail` is for people. */
class Refusal extends Error {
  readonly status: number
  readonly errors: readonly Fault[]

  constructor(status: number, errors: readonly Fault[]) {
    super(errors.map(({ detail }) => detail).join(' '))
    this.status = status
    this.errors = errors
  }
}

/**
 * Sends a request.
 *
 * @param path below the root path of the API, or a link of a document, which begins at the root of the host
 * @throws Refusal for an error document
 */
async function send(
  token: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  data?: object,
): Promise<Response> {
  const response = await patientFetch(new URL(path, `${api}/`), {
    method,
    headers: {
      Accept: mediaType,
      Authorization: `Bearer ${token}`,
      ...(data && { 'Content-Type': mediaType }),
      ...headers,
    },
    ...(data && { body: JSON.stringify({ data }) }),
  })
  if (response.ok) {
    return response
  }
  const isDocument = response.headers.get('Content-Type') === mediaType
  const { errors } = isDocument
    ? ((await response.json()) as { errors: readonly Fault[] })
    : { errors: [] }
  throw new Refusal(response.status, errors)
}

async function read<Data>(token: string, path: string): Promise<Document<Data>> {
  return (await (await send(token, 'GET', path)).json()) as Document<Data>
}

/** Reads page after page: each names the next one, until `links.next` is null. */
async function* pages(token: string, path: string) {
  let next: string | null = path
  while (next !== null) {
    const page: Document<readonly Resource[]> = await read(token, next)
    yield page
    next = page.links.next ?? null
  }
}

/** Creates a user once: with the key, the request is sent again when its answer is lost. */
async function create(token: string, user: object): Promise<Resource> {
  const key = { 'Idempotency-Key': crypto.randomUUID() }
  const response = await send(token, 'POST', 'users', key, { type: 'users', ...user })
  return ((await response.json()) as Document<Resource>).data
}

/** Edits a user as it was read. If somebody else was faster, the answer is a 412: read again, edit again. */
async function edit(
  token: string,
  id: string,
  change: (attributes: NonNullable<Resource['attributes']>) => object,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const response = await send(token, 'GET', `users/${id}`)
    const { data } = (await response.json()) as Document<Resource>
    const condition = { 'If-Match': response.headers.get('ETag') ?? '' }
    const attributes = change(data.attributes ?? {})
    try {
      await send(token, 'PATCH', `users/${id}`, condition, { type: 'users', id, attributes })
      return
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 412) || attempt === 5) {
        throw error
      }
    }
  }
}

// A machine reads what is nobody's: countries with the currencies that are used there.
const machine = await machineToken()
const countries = new Set<string>()
const currencies = new Set<string>()
for await (const page of pages(machine, 'countries?filter[region]=europe&include=currencies')) {
  for (const { id } of page.data) {
    countries.add(id)
  }
  for (const { id } of page.included ?? []) {
    currencies.add(id)
  }
}
console.log(`${countries.size} countries of Europe use ${currencies.size} currencies.`)

// A person creates a user, which they own from then on.
const person = await personToken()
const email = `tove.${crypto.randomUUID()}@example.com`
const { id } = await create(person, {
  attributes: { fullName: 'Tove Reise', email, addresses: [{ city: 'Oslo' }] },
  relationships: { placeOfBirth: { data: { type: 'countries', id: 'NO' } } },
})

await edit(person, id, ({ addresses = [] }) => ({ addresses: [...addresses, { city: 'Bergen' }] }))

// One request brings the country along, and its currencies.
const { data, included = [] } = await read<Resource>(
  person,
  `users/${id}?include=placeOfBirth.currencies`,
)
const cities = data.attributes?.addresses?.map(({ city }) => city) ?? []
const names = included.map(({ attributes }) => attributes?.name)
console.log(`${data.attributes?.fullName} has addresses in ${cities.join(', ')}.`)
console.log(`Her place of birth brings along ${names.join(', ')}.`)

// An e-mail address belongs to one user: the error says which member is at fault.
try {
  await create(person, { attributes: { fullName: 'Tove Again', email } })
} catch (error) {
  if (!(error instanceof Refusal)) {
    throw error
  }
  for (const { code, source } of error.errors) {
    console.log(`Refused: ${code} at ${source?.pointer}.`)
  }
}

await send(person, 'DELETE', `users/${id}`)
console.log('Deleted.')
