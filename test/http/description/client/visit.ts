import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

type Attributes = components['schemas']['UserCreate']['data']['attributes']

/** What a visit has seen. */
export interface Visit {
  readonly id: string
  readonly fullName: string | undefined
  readonly location: string | null
  /** The sizes of the pages of European countries, and the symbols of all the currencies that came along. */
  readonly pages: readonly number[]
  readonly symbols: readonly string[]
  readonly citizenships: readonly string[]
  /** The code of the error that a second user with the same e-mail is refused with. */
  readonly refusal: string | undefined
}

/** A client of the service, as a client author would make one. */
export function connect(baseUrl: string, token: string) {
  return createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' },
    querySerializer: { array: { style: 'form', explode: false } },
  })
}

/** Creates a user, reads the countries of Europe page by page, and makes the user a citizen of two countries. */
export async function visit(
  baseUrl: string,
  token: string,
  attributes: Attributes,
): Promise<Visit> {
  const client = connect(baseUrl, token)
  const body = { data: { type: 'users', attributes } } as const
  const created = await client.POST('/users', {
    params: { query: { 'fields[users]': ['fullName', 'citizenships'] } },
    body,
  })
  if (!created.data) {
    throw new Error(JSON.stringify(created.error))
  }
  const { id, attributes: shown } = created.data.data
  const again = await client.POST('/users', { body })

  const path = { id }
  await client.POST('/users/{id}/relationships/citizenships', {
    params: { path },
    body: { data: [{ type: 'countries', id: 'NO' }] },
  })
  await client.POST('/users/{id}/relationships/citizenships', {
    params: { path },
    body: { data: [{ type: 'countries', id: 'SE' }] },
  })
  const citizenships = await client.GET('/users/{id}/relationships/citizenships', {
    params: { path },
  })
  return {
    id,
    fullName: shown?.fullName,
    location: created.response.headers.get('Location'),
    ...(await europe(client)),
    citizenships: citizenships.data?.data.map((country) => country.id) ?? [],
    refusal: again.error?.errors[0]?.code,
  }
}

async function europe(client: ReturnType<typeof connect>) {
  const pages: number[] = []
  const symbols: string[] = []
  let cursor: string | undefined
  do {
    const { data, error } = await client.GET('/countries', {
      params: {
        query: {
          include: ['currencies'],
          'filter[region]': ['Europe'],
          ...(cursor !== undefined && { 'page[cursor]': cursor }),
        },
      },
    })
    if (!data) {
      throw new Error(error.errors[0]?.detail)
    }
    pages.push(data.data.length)
    symbols.push(...(data.included ?? []).flatMap(({ attributes }) => attributes?.symbol ?? []))
    cursor = data.meta?.['pagination.nextCursor']
  } while (cursor !== undefined)
  return { pages, symbols }
}
