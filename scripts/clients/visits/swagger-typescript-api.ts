import {
  Api,
  type ErrorDocument,
  type Region,
  type UserCreate,
} from '../generated/swagger-typescript-api.ts'
import { json, sizesOf, type Visit } from './seen.ts'

const region: Region = 'Europe'

/** What is thrown for an answer that is no success. */
interface Refusal {
  readonly error: ErrorDocument
}

async function codeOf(request: Promise<unknown>): Promise<string | undefined> {
  return request.then(
    () => undefined,
    (thrown: Refusal) => thrown.error.errors[0]?.code,
  )
}

/**
 * The generated client takes bodies for JSON, and repeats the names of lists: it is told otherwise, and lists are joined.
 */
function clientOf(baseUrl: string, token: string | undefined) {
  return new Api({
    baseUrl,
    baseApiParams: {
      format: 'json',
      headers: { 'Content-Type': json, ...(token && { Authorization: `Bearer ${token}` }) },
    },
    customFetch: (input, init) => {
      const url = new URL(String(input))
      const lists = new Map<string, string>()
      for (const [name, value] of url.searchParams) {
        lists.set(name, lists.has(name) ? `${lists.get(name)},${value}` : value)
      }
      url.search = new URLSearchParams([...lists]).toString()
      return fetch(url, init)
    },
  })
}

export const visit: Visit = async ({ baseUrl, token, email }) => {
  const { countries, users } = clientOf(baseUrl, token)

  const panama = await countries.getCountry('PA', { include: ['currencies'] })
  const pages = await sizesOf(async (cursor) => {
    const page = cursor === undefined ? {} : { 'page[cursor]': cursor }
    return (await countries.listCountries({ 'filter[region]': [region], ...page })).data
  })

  const attributes = { fullName: 'Typed Client', email }
  const body: UserCreate = { data: { type: 'users', attributes } }
  const made = await users.createUser(body)
  const refusal = await codeOf(users.createUser(body))
  const { id } = made.data.data
  const read = await users.getUser(id)
  await users.deleteUser(id, { format: undefined })

  return {
    symbols: panama.data.included?.map((currency) => currency.attributes?.symbol) ?? [],
    pages,
    name: read.data.data.attributes?.fullName,
    refusal,
    unauthorized: await codeOf(clientOf(baseUrl, undefined).countries.listCountries()),
  }
}
