import type { Client, RequestConfig, ResponseConfig } from '@kubb/plugin-client/clients/fetch'
import { createUser } from '../generated/kubb/clients/createUser.ts'
import { deleteUser } from '../generated/kubb/clients/deleteUser.ts'
import { getCountry } from '../generated/kubb/clients/getCountry.ts'
import { getUser } from '../generated/kubb/clients/getUser.ts'
import { listCountries } from '../generated/kubb/clients/listCountries.ts'
import type { ErrorDocument } from '../generated/kubb/types/ErrorDocument.ts'
import type { Region } from '../generated/kubb/types/Region.ts'
import type { UserCreate } from '../generated/kubb/types/UserCreate.ts'
import { json, sizesOf, type Visit } from './seen.ts'

const region: Region = 'Europe'

/** An error document, thrown: the client that Kubb brings along throws nothing. */
class Refusal extends Error {
  readonly code: string | undefined

  constructor({ errors }: ErrorDocument) {
    super(errors[0]?.detail)
    this.code = errors[0]?.code
  }
}

/** Lists go in one value, with commas between their items: the client that Kubb brings along knows no styles. */
function clientOf(baseUrl: string, token: string | undefined): Client {
  return async <Data, _Error, Variables>({
    url,
    method,
    params,
    data,
  }: RequestConfig<Variables>) => {
    const search = new URLSearchParams(
      Object.entries((params ?? {}) as object).map(([name, value]) => [name, String(value)]),
    )
    const response = await fetch(`${baseUrl}${url}?${search}`, {
      method: method ?? 'GET',
      headers: { 'Content-Type': json, ...(token && { Authorization: `Bearer ${token}` }) },
      ...(data !== undefined && { body: JSON.stringify(data) }),
    })
    const text = await response.text()
    const document = text === '' ? undefined : JSON.parse(text)
    if (!response.ok) {
      throw new Refusal(document)
    }
    const { status, statusText, headers } = response
    return { data: document, status, statusText, headers } satisfies ResponseConfig<Data>
  }
}

async function codeOf(request: Promise<unknown>): Promise<string | undefined> {
  try {
    await request
    return undefined
  } catch (error) {
    return error instanceof Refusal ? error.code : undefined
  }
}

export const visit: Visit = async ({ baseUrl, token, email }) => {
  const config = { client: clientOf(baseUrl, token) }

  const panama = await getCountry('PA', { include: ['currencies'] }, undefined, config)
  const pages = await sizesOf((cursor) => {
    const page = cursor === undefined ? {} : { 'page[cursor]': cursor }
    return listCountries({ 'filter[region]': [region], ...page }, undefined, config)
  })

  const attributes = { fullName: 'Typed Client', email }
  const body: UserCreate = { data: { type: 'users', attributes } }
  const made = await createUser(body, undefined, undefined, config)
  const refusal = await codeOf(createUser(body, undefined, undefined, config))
  const { id } = made.data
  const read = await getUser(id, undefined, undefined, config)
  await deleteUser(id, undefined, config)
  const nobody = { client: clientOf(baseUrl, undefined) }

  return {
    symbols: panama.included?.map((currency) => currency.attributes?.symbol) ?? [],
    pages,
    name: read.data.attributes?.fullName,
    refusal,
    unauthorized: await codeOf(listCountries(undefined, undefined, nobody)),
  }
}
