import type { connect } from './visit.ts'

// Never run: each of these must be refused by the compiler, which shows that the types are full.
export async function mistakes(client: ReturnType<typeof connect>) {
  // @ts-expect-error There is no such path.
  await client.GET('/people')

  // @ts-expect-error Countries cannot be created.
  await client.POST('/countries')

  // @ts-expect-error The path needs an id.
  await client.GET('/users/{id}')

  // @ts-expect-error There is no such sort key.
  await client.GET('/users', { params: { query: { sort: ['age'] } } })

  // @ts-expect-error There is no such relationship to include.
  await client.GET('/users', { params: { query: { include: ['friends'] } } })

  // @ts-expect-error A limit is a number.
  await client.GET('/users', { params: { query: { 'page[limit]': 'ten' } } })

  // @ts-expect-error A user needs an e-mail address.
  await client.POST('/users', { body: { data: { type: 'users', attributes: { fullName: 'A' } } } })

  const attributes = { fullName: 'A', email: 'a@example.com' }
  // @ts-expect-error The server assigns the id.
  await client.POST('/users', { body: { data: { type: 'users', id: '1', attributes } } })

  await client.PATCH('/users/{id}/relationships/placeOfBirth', {
    params: { path: { id: '1' } },
    // @ts-expect-error One is born in a country.
    body: { data: { type: 'users', id: '2' } },
  })

  await client.POST('/users/{id}/relationships/relatives', {
    params: { path: { id: '1' } },
    // @ts-expect-error A relative is one in some way.
    body: { data: [{ type: 'users', id: '2' }] },
  })

  const { data, error } = await client.GET('/users/{id}', { params: { path: { id: '1' } } })
  // @ts-expect-error There is no such attribute.
  data?.data.attributes?.age
  // @ts-expect-error Attributes that the caller may not see are missing.
  data?.data.attributes?.fullName.length
  // @ts-expect-error A read has no conflicts.
  error?.errors[0]?.code === 'CONFLICT'
}
