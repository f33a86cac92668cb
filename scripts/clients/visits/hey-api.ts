import { createClient, createConfig } from '../generated/hey-api/client/index.ts'
import {
  createUser,
  deleteUser,
  getCountry,
  getUser,
  listCountries,
} from '../generated/hey-api/sdk.gen.ts'
import type { Region, UserCreate } from '../generated/hey-api/types.gen.ts'
import { sizesOf, type Visit } from './seen.ts'

const region: Region = 'Europe'

export const visit: Visit = async ({ baseUrl, token, email }) => {
  const client = createClient(createConfig({ baseUrl, auth: token }))

  const panama = await getCountry({
    client,
    path: { id: 'PA' },
    query: { include: ['currencies'] },
  })
  const pages = await sizesOf(async (cursor) => {
    const page = cursor === undefined ? {} : { 'page[cursor]': cursor }
    const query = { 'filter[region]': [region], ...page }
    const { data } = await listCountries({ client, query, throwOnError: true })
    return data
  })

  const attributes = { fullName: 'Typed Client', email }
  const body: UserCreate = { data: { type: 'users', attributes } }
  const made = await createUser({ client, body })
  const again = await createUser({ client, body })
  const path = { id: made.data?.data.id ?? '' }
  const read = await getUser({ client, path })
  await deleteUser({ client, path })
  const nobody = await listCountries({ client: createClient(createConfig({ baseUrl })) })

  return {
    symbols: panama.data?.included?.map((currency) => currency.attributes?.symbol) ?? [],
    pages,
    name: read.data?.data.attributes?.fullName,
    refusal: again.error?.errors[0]?.code,
    unauthorized: nobody.error?.errors[0]?.code,
  }
}
