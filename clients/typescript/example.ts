import {
  type CountryCurrenciesList,
  connect,
  createUser,
  deleteUser,
  editUser,
  find,
  follow,
  getUser,
  listCountries,
  pages,
  ServiceError,
} from 'users-countries-currencies-client'
import { api, machineToken, personToken } from '../programs/sign-in.ts'

// A machine reads what is nobody's: countries with the currencies that are used there.
const machine = connect({ baseUrl: api, token: await machineToken() })
const europe = await listCountries({
  client: machine,
  query: { 'filter[region]': ['Europe'], include: ['currencies'] },
})
const countries = new Set<string>()
const currencies = new Set<string>()
for await (const page of pages(machine, europe.data)) {
  for (const { id } of page.data) {
    countries.add(id)
  }
  for (const { id } of page.included ?? []) {
    currencies.add(id)
  }
}
console.log(`${countries.size} countries of Europe use ${currencies.size} currencies.`)

// A person creates a user, which they own from then on. It is created once, even if the answer is lost.
const person = connect({ baseUrl: api, token: await personToken() })
const email = `tove.${crypto.randomUUID()}@example.com`
const created = await createUser({
  client: person,
  body: {
    data: {
      type: 'users',
      attributes: { fullName: 'Tove Reise', email, addresses: [{ city: 'Oslo' }] },
      relationships: { placeOfBirth: { data: { type: 'countries', id: 'NO' } } },
    },
  },
})
const { id } = created.data.data

// An edit of what was read, again if somebody else was faster.
await editUser(person, id, ({ attributes }) => ({
  attributes: { addresses: [...(attributes?.addresses ?? []), { city: 'Bergen' }] },
}))

// One request brings the country along, and its currencies.
const { data } = await getUser({
  client: person,
  path: { id },
  query: { include: ['placeOfBirth.currencies'] },
})
const { fullName, addresses = [] } = data.data.attributes ?? {}
console.log(`${fullName} has addresses in ${addresses.map(({ city }) => city).join(', ')}.`)
const country = find(data.included, data.data.relationships?.placeOfBirth?.data)

// A link leads to a document. Whoever knows which one says its type.
const link = country?.relationships?.currencies?.links.related
const used = link && (await follow<CountryCurrenciesList>(person, link))
const names = [country, ...(used ? used.data : [])].map((one) => one?.attributes?.name)
console.log(`Her place of birth brings along ${names.join(', ')}.`)

// An e-mail address belongs to one user: the error says which member is at fault.
try {
  const attributes = { fullName: 'Tove Again', email }
  await createUser({ client: person, body: { data: { type: 'users', attributes } } })
} catch (error) {
  if (!(error instanceof ServiceError && error.has('CONFLICT'))) {
    throw error
  }
  for (const { code, source } of error.errors) {
    console.log(`Refused: ${code} at ${source?.pointer}.`)
  }
}

await deleteUser({ client: person, path: { id } })
console.log('Deleted.')
