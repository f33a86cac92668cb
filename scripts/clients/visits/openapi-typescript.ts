import createClient from 'openapi-fetch'
import type { components, paths } from '../generated/openapi-typescript.ts'
import { json, sizesOf, type Visit } from './seen.ts'
import { writeCarefully } from './writes.ts'

const region: components['schemas']['Region'] = 'Europe'

export const visit: Visit = async ({ baseUrl, token, email }) => {
  const options = {
    baseUrl,
    querySerializer: { array: { style: 'form', explode: false } },
  } as const
  const client = createClient<paths>({
    ...options,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': json },
  })

  const panama = await client.GET('/countries/{id}', {
    params: { path: { id: 'PA' }, query: { include: ['currencies'] } },
  })
  const pages = await sizesOf(async (cursor) => {
    const page = cursor === undefined ? {} : { 'page[cursor]': cursor }
    const query = { 'filter[region]': [region], ...page }
    const { data, error } = await client.GET('/countries', { params: { query } })
    if (!data) {
      throw new Error(error.errors[0]?.detail)
    }
    return data
  })

  const attributes = { fullName: 'Typed Client', email }
  const body: components['schemas']['UserCreate'] = { data: { type: 'users', attributes } }
  const made = await client.POST('/users', { body })
  const again = await client.POST('/users', { body })
  const id = made.data?.data.id ?? ''
  const read = await client.GET('/users/{id}', { params: { path: { id } } })
  await client.DELETE('/users/{id}', { params: { path: { id } } })
  await writeCarefully(client, (name) => `${name}.${email}`)
  const nobody = await createClient<paths>(options).GET('/countries')

  return {
    symbols: panama.data?.included?.map((currency) => currency.attributes?.symbol) ?? [],
    pages,
    name: read.data?.data.attributes?.fullName,
    refusal: again.error?.errors[0]?.code,
    unauthorized: nobody.error?.errors[0]?.code,
  }
}
