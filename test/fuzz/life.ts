import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { allScopes } from '../bench/issuer.ts'
import { documentedFaults } from './checks.ts'
import type { Operation } from './description.ts'
import type { Received, Sent } from './send.ts'
import { filled, valid } from './values.ts'
import { goodHeaders, type World } from './world.ts'

/** The requests to one user from its creation until after its deletion, by its owner and by somebody else. */
export function lifeProperty(world: World): fc.IAsyncProperty<unknown> {
  const operationOf = (id: string) => world.operations.filter((operation) => operation.id === id)
  const [[create], [remove]] = [operationOf('createUser'), operationOf('deleteUser')]
  if (!create || !remove) {
    throw new Error('There is no createUser or no deleteUser')
  }
  const onUsers = world.operations.filter(({ path }) => path.startsWith('/users/{id}'))
  const bodyOf = ({ body }: Operation): fc.Arbitrary<unknown> =>
    body ? valid(body.schema, world.ids) : fc.constant(undefined)
  const order = fc.shuffledSubarray(onUsers.map((_, index) => index))

  const bodies = fc.tuple(...onUsers.map(bodyOf))
  const property = fc.asyncProperty(bodyOf(create), bodies, order, async (made, all, order) => {
    const [owner, other] = [await callerOf(world), await callerOf(world)]
    const { text } = await owner(create, '', 201, made)
    const { id } = JSON.parse(text).data
    for (const index of order) {
      const operation = onUsers[index]
      if (operation && operation !== remove) {
        const isRead = operation.method === 'GET'
        await other(operation, id, isRead ? 200 : 403, all[index])
        await owner(operation, id, isRead ? 200 : 204, all[index])
      }
    }
    await other(remove, id, 403)
    await owner(remove, id, 204)
    for (const [index, operation] of onUsers.entries()) {
      await owner(operation, id, 404, all[index])
    }
  })
  return property as unknown as fc.IAsyncProperty<unknown>
}

/** Sends good requests of somebody new, with all scopes; throws where the answer has another status, or is not as described. */
async function callerOf(world: World) {
  const token = await world.sign({ sub: randomUUID(), scope: allScopes })
  return async (
    operation: Operation,
    id: string,
    status: number,
    body?: unknown,
  ): Promise<Received> => {
    const sent: Sent = {
      method: operation.method,
      path: world.root + operation.path.replace('{id}', id),
      headers: goodHeaders(token, body !== undefined),
      ...(body !== undefined && { body: JSON.stringify(filled(Object(body), id, randomUUID())) }),
    }
    const answer = await world.send(sent)
    const faults = documentedFaults(sent, answer)
    if (answer.status !== status || faults.length > 0) {
      const shown = [JSON.stringify(sent), answer.text.slice(0, 600)].join('\n')
      throw new Error(`${answer.status} where ${status} is right; ${faults.join('; ')}\n${shown}`)
    }
    return answer
  }
}
