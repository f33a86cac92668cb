import type { Abortable } from './follow.js'
import type { Client } from './generated/client/index.js'
import { getUser, type User, type UserUpdate, updateUser } from './generated/index.js'
import { ServiceError } from './service-error.js'

/** How often an edit is made anew at most. */
const attempts = 5

/**
 * Reads a user, and sends a change of it, which is carried out only if the user is still as it was read. If somebody else was
 * faster, it reads again and makes the change anew.
 *
 * @param change the attributes and relationships to send; called with the user as it is, more than once perhaps
 * @throws ServiceError if the read or the change is refused, with the last 412 of five, and the signal's reason if it aborts
 */
export async function editUser(
  client: Client,
  id: string,
  change: (user: User) => Pick<UserUpdate['data'], 'attributes' | 'relationships'>,
  { signal }: Abortable = {},
): Promise<void> {
  const path = { id }
  for (let attempt = 1; ; attempt++) {
    const { data, response } = await getUser({ client, path, signal })
    const headers = { 'If-Match': response.headers.get('ETag') ?? '' }
    const body: UserUpdate = { data: { type: 'users', id, ...change(data.data) } }
    try {
      await updateUser({ client, path, headers, body, signal })
      return
    } catch (error) {
      if (!(error instanceof ServiceError && error.status === 412) || attempt === attempts) {
        throw error
      }
    }
  }
}
