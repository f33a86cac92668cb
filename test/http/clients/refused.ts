import {
  addUserRelatives,
  type Client,
  createUser,
  getUser,
  listUsers,
  replaceUserPlaceOfBirth,
} from 'users-countries-currencies-client'

/** Never run: the compiler must refuse each of these calls, which shows that the types of the package are full. */
export async function mistakes(client: Client) {
  const path = { id: '1' }
  const attributes = { fullName: 'A', email: 'a@example.com' }

  // @ts-expect-error The path needs an id.
  await getUser({ client })

  // @ts-expect-error There is no such sort key.
  await listUsers({ client, query: { sort: ['age'] } })

  // @ts-expect-error There is no such relationship to include.
  await listUsers({ client, query: { include: ['friends'] } })

  // @ts-expect-error A limit is a number.
  await listUsers({ client, query: { 'page[limit]': 'ten' } })

  // @ts-expect-error A user needs an e-mail address.
  await createUser({ client, body: { data: { type: 'users', attributes: { fullName: 'A' } } } })

  // @ts-expect-error The server assigns the id.
  await createUser({ client, body: { data: { type: 'users', id: '1', attributes } } })

  // @ts-expect-error One is born in a country.
  await replaceUserPlaceOfBirth({ client, path, body: { data: { type: 'users', id: '2' } } })

  // @ts-expect-error A relative is one in some way.
  await addUserRelatives({ client, path, body: { data: [{ type: 'users', id: '2' }] } })

  const { data, error } = await getUser({ client, path, throwOnError: false })
  // @ts-expect-error There is no such attribute.
  data?.data.attributes?.age
  // @ts-expect-error Attributes that the caller may not see are missing.
  data?.data.attributes?.fullName.length
  // @ts-expect-error A read has no conflicts.
  error?.errors[0]?.code === 'CONFLICT'
}
