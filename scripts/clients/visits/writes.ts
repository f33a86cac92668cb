import type { Client } from 'openapi-fetch'
import type { paths } from '../generated/openapi-typescript.ts'

/** The media type of transactions (https://jsonapi.org/ext/atomic). */
const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

/**
 * Writes as a client does that loses and doubles nothing.
 *
 * @param address makes an e-mail address that no user has
 * @throws Error where the service does not do what it promises
 */
export async function writeCarefully(
  client: Client<paths>,
  address: (name: string) => string,
): Promise<void> {
  // A create whose answer may be lost is sent again with the same key.
  const key = crypto.randomUUID()
  const create = () =>
    client.POST('/users', {
      params: { header: { 'Idempotency-Key': key } },
      body: { data: { type: 'users', attributes: { fullName: 'Once', email: address('once') } } },
    })
  const made = await create()
  const repeated = await create()
  const id = made.data?.data.id ?? ''
  demand(repeated.data?.data.id === id, 'a repeated create is not done twice')
  demand(repeated.response.headers.get('Idempotency-Replayed') === 'true', 'it says so')

  // An edit names the state that it was made from. Who comes too late reads again.
  const read = await client.GET('/users/{id}', { params: { path: { id } } })
  const header = { 'If-Match': read.response.headers.get('ETag') ?? '' }
  const edit = (fullName: string) =>
    client.PATCH('/users/{id}', {
      params: { path: { id }, header },
      body: { data: { type: 'users', id, attributes: { fullName } } },
    })
  const first = await edit('First')
  const second = await edit('Second')
  demand(first.response.status === 204, 'an edit of the current state is done')
  demand(second.error?.errors[0]?.code === 'PRECONDITION_FAILED', 'an edit of an old state is not')

  // A family is made in one transaction: all of it or nothing.
  const person = (lid: string) =>
    ({
      op: 'add',
      data: { type: 'users', lid, attributes: { fullName: lid, email: address(lid) } },
    }) as const
  const relative = { type: 'users', lid: 'leo', meta: { relationshipType: 'SON' } }
  const family = await client.POST('/operations', {
    headers: { Accept: atomic, 'Content-Type': atomic },
    body: {
      'atomic:operations': [
        person('mia'),
        person('leo'),
        {
          op: 'add',
          ref: { type: 'users', lid: 'mia', relationship: 'relatives' },
          data: [relative],
        },
      ],
    },
  })
  const results = family.data?.['atomic:results'] ?? []
  demand(results.length === 3, 'a transaction has a result for each operation')

  for (const one of [id, ...results.flatMap(({ data }) => (data ? [data.id ?? ''] : []))]) {
    await client.DELETE('/users/{id}', { params: { path: { id: one } } })
  }
}

function demand(isSo: boolean, what: string): void {
  if (!isSo) {
    throw new Error(`Not so: ${what}`)
  }
}
