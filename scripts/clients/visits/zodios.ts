import { isErrorFromAlias } from '@zodios/core'
import { api, createApiClient, schemas } from '../generated/zodios.ts'
import { json, sizesOf, type Visit } from './seen.ts'

/** Lists go in one value, with commas between their items. */
const serialize = (parameters: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  ).toString()

function clientOf(baseUrl: string, token: string | undefined) {
  return createApiClient(baseUrl, {
    axiosConfig: {
      headers: { 'Content-Type': json, ...(token && { Authorization: `Bearer ${token}` }) },
      paramsSerializer: { serialize },
    },
  })
}

type Alias = 'createUser' | 'listCountries'

/** The code of the error that a request ends in, checked by the schema of the error's document. */
async function codeOf(alias: Alias, request: Promise<unknown>): Promise<string | undefined> {
  return request.then(
    () => undefined,
    (thrown: unknown) => {
      if (!isErrorFromAlias(api.api, alias, thrown)) {
        throw thrown
      }
      return schemas.ErrorDocument.parse(thrown.response.data).errors[0]?.code
    },
  )
}

export const visit: Visit = async ({ baseUrl, token, email }) => {
  const client = clientOf(baseUrl, token)

  const panama = await client.getCountry({
    params: { id: 'PA' },
    queries: { include: ['currencies'] },
  })
  const pages = await sizesOf((cursor) =>
    client.listCountries({
      queries: { 'filter[region]': ['Europe'], 'page[cursor]': cursor },
    }),
  )

  const body = { data: { type: 'users' as const, attributes: { fullName: 'Typed Client', email } } }
  const made = await client.createUser(body)
  const refusal = await codeOf('createUser', client.createUser(body))
  const params = { id: made.data.id }
  const read = await client.getUser({ params })
  await client.deleteUser(undefined, { params })

  return {
    symbols: panama.included?.map((currency) => currency.attributes?.symbol) ?? [],
    pages,
    name: read.data.attributes?.fullName,
    refusal,
    unauthorized: await codeOf('listCountries', clientOf(baseUrl, undefined).listCountries()),
  }
}
