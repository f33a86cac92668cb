import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Received } from '../lib/send.ts'
import type { Operation } from '../requests/description.ts'
import { filled, valid } from '../requests/values.ts'
import { documentedFaults } from './checks.ts'
import { type Call, callerOf, operationOf, type World } from './world.ts'

/** The requests to one user from its creation until after its deletion, by its owner and by somebody else. */
export function lifeProperty(world: World): fc.IAsyncProperty<never> {
  const create = operationOf(world, 'createUser')
  const remove = operationOf(world, 'deleteUser')
  const onUsers = world.operations.filter(({ path }) => path.startsWith('/users/{id}'))
  const bodyOf = ({ body }: Operation): fc.Arbitrary<unknown> =>
    body ? valid(body.schema, world.ids) : fc.constant(undefined)
  const bodies = fc.tuple(...onUsers.map(bodyOf))

  return fc.asyncProperty(
    bodyOf(create),
    bodies,
    fc.shuffledSubarray(onUsers.map((_, index) => index)),
    async (draft, all, order) => {
      const made = filled(draft, '', randomUUID())
      const owner = await callerOf(world)
      const other = await callerOf(world)
      const id = idOf(await expect(owner, create, '', [201], made))
      for (const index of order) {
        const operation = onUsers[index]
        if (operation && operation !== remove) {
          const isRead = operation.method === 'GET'
          await expect(other, operation, id, isRead ? [200] : [403], all[index])
          await expect(owner, operation, id, isRead ? [200] : [204], all[index])
        }
      }
      await expect(other, remove, id, [403])
      await expect(owner, remove, id, [204])
      for (const [index, operation] of onUsers.entries()) {
        await expect(owner, operation, id, [404], all[index])
      }
    },
  ) as unknown as fc.IAsyncProperty<never>
}

async function expect(
  call: Call,
  operation: Operation,
  id: string,
  statuses: readonly number[],
  body?: unknown,
): Promise<Received> {
  const answer = await call(operation, id, body)
  const faults = documentedFaults(operation, answer)
  if (!statuses.includes(answer.status)) {
    faults.push(`${answer.status} where ${statuses} is right: ${answer.text.slice(0, 300)}`)
  }
  if (faults.length > 0) {
    throw new Error(`${operation.id} ${id} ${JSON.stringify(body)}: ${faults.join('; ')}`)
  }
  return answer
}

function idOf({ text }: Received): string {
  return JSON.parse(text).data.id
}
