import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Operation } from '../requests/description.ts'
import { documentedFaults } from './checks.ts'
import { callerOf, operationOf, type World } from './world.ts'

/**
 * A clan: users of one owner, each related to all or some of the others, read with everything that can be included. Every
 * answer is as described, and is no refusal but for what is too much to include.
 */
export function denseProperty(world: World): fc.IAsyncProperty<never> {
  const relate = operationOf(world, 'replaceUserRelatives')
  const create = operationOf(world, 'createUser')
  const remove = operationOf(world, 'deleteUser')
  const reads = world.operations.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/users'),
  )
  const draft = fc.record({
    size: fc.integer({ min: 2, max: 25 }),
    share: fc.constantFrom(0.3, 1),
    includes: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 4 }),
  })
  return fc.asyncProperty(draft, async ({ size, share, includes }) => {
    const ask = await callerOf(world)
    const call = async (operation: Operation, id: string, body?: unknown, query?: string) => {
      const answer = await ask(operation, id, body, query)
      const faults = documentedFaults(operation, answer)
      const isRight =
        answer.status < 300 || (answer.status === 400 && answer.text.includes('"include"'))
      if (faults.length > 0 || !isRight) {
        throw new Error(
          `${operation.id} ${query ?? ''} in a clan of ${size}: ${answer.status} ${faults.join('; ')} ${answer.text.slice(0, 600)}`,
        )
      }
      return answer
    }
    const ids: string[] = []
    for (let left = size; left > 0; left--) {
      const attributes = { fullName: 'Clan', email: `${randomUUID()}@example.com` }
      const { text } = await call(create, '', { data: { type: 'users', attributes } })
      ids.push(JSON.parse(text).data.id)
    }
    for (const id of ids) {
      const others = ids.filter((other) => other !== id)
      const data = others.slice(0, Math.ceil(others.length * share)).map((other) => ({
        type: 'users',
        id: other,
        meta: { relationshipType: 'SON' },
      }))
      await call(relate, id, { data })
    }
    for (const operation of reads) {
      const paths = operation.parameters.find(({ name }) => name === 'include')?.schema.items?.enum
      const chosen = includes.flatMap((nth) => paths?.[nth % paths.length] ?? [])
      const query = chosen.length > 0 ? `?include=${[...new Set(chosen)].join(',')}` : ''
      await call(operation, ids[0] ?? '', undefined, query)
    }
    for (const id of ids) {
      await call(remove, id)
    }
  }) as unknown as fc.IAsyncProperty<never>
}
