import { setTimeout as sleep } from 'node:timers/promises'

const mediaType = 'application/vnd.api+json'

/** What is known of a user: what was asked for, and how much of it was acknowledged. */
export interface Entry {
  readonly email: string
  /** `undefined` as long as no 201 came. */
  id: string | undefined
  /** The number in the last name that a 204 acknowledged, and in the last one that was sent. */
  acknowledged: number
  sent: number
}

/** A user as the service shows it. */
export interface ShownUser {
  readonly id: string
  readonly attributes: { readonly fullName: string; readonly email: string }
  readonly relationships: {
    readonly citizenships: { readonly data: readonly { readonly id: string }[] }
    readonly placeOfBirth: { readonly data: { readonly id: string } | null }
  }
}

/** Creates and renames users, one after the other, until the service is gone, and records them in `ledger`. */
export async function writeUntilGone(
  origin: string,
  token: string,
  ledger: Entry[],
): Promise<void> {
  try {
    for (;;) {
      const email = `${crypto.randomUUID()}@example.com`
      const entry: Entry = { email, id: undefined, acknowledged: 0, sent: 0 }
      ledger.push(entry)
      const made = await send(origin, token, 'POST', '/users', {
        type: 'users',
        attributes: { fullName: 'Name 0', email },
        relationships: {
          citizenships: { data: ['NO', 'SE'].map((id) => ({ type: 'countries', id })) },
          placeOfBirth: { data: { type: 'countries', id: 'NO' } },
        },
      })
      const { data } = (await made.json()) as { data: { id: string } }
      entry.id = data.id
      while (entry.sent < 3) {
        entry.sent++
        const attributes = { fullName: `Name ${entry.sent}` }
        const data = { type: 'users', id: entry.id, attributes }
        await send(origin, token, 'PATCH', `/users/${entry.id}`, data)
        entry.acknowledged = entry.sent
      }
    }
  } catch (error) {
    // What fetch throws when the connection breaks. Anything else is a fault of the service or of this test.
    if (!(error instanceof TypeError)) {
      throw error
    }
  }
}

async function send(
  origin: string,
  token: string,
  method: string,
  path: string,
  data: object,
): Promise<Response> {
  const response = await fetch(`${origin}/jsonapi${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, Accept: mediaType, 'Content-Type': mediaType },
    body: JSON.stringify({ data }),
  })
  if (response.status === 429) {
    await sleep(1_000)
    return send(origin, token, method, path, data)
  }
  if (!response.ok) {
    throw new Error(`${method} ${path} answers ${response.status}: ${await response.text()}`)
  }
  return response
}

/** All users there are, and the total that the service tells. */
export async function readAll(
  origin: string,
  token: string,
): Promise<{ users: Map<string, ShownUser>; total: number }> {
  const users = new Map<string, ShownUser>()
  let total = 0
  let next: string | null = '/jsonapi/users?page%5Blimit%5D=100'
  while (next !== null) {
    const headers = { Authorization: `Bearer ${token}`, Accept: mediaType }
    const response = await fetch(origin + next, { headers })
    const page = (await response.json()) as {
      data: ShownUser[]
      links: { next: string | null }
      meta: { 'pagination.totalItems': number }
    }
    for (const user of page.data) {
      users.set(user.attributes.email, user)
    }
    total = page.meta['pagination.totalItems']
    next = page.links.next
  }
  return { users, total }
}
