import { expect, it } from 'vitest'
import { createUser } from '../../support/people.ts'
import { transact } from '../../support/transactions.ts'
import { uniqueEmail } from '../api/writes/writers.ts'
import { operations } from './openapi.ts'
import { contentOf } from './read-description.ts'

const { requestBody } = operations.find(({ path }) => path === '/operations') ?? {}
const examples = Object.entries((requestBody && contentOf(requestBody.content).examples) ?? {})

it('the description has an example of a transaction for each write, and one with a lid (contract, section 13)', () => {
  expect(examples.map(([name]) => name)).toEqual([
    ...['users.create', 'users.update', 'users.delete'],
    ...['replaceMany', 'addMany', 'removeMany'].map((name) => `users.citizenships.${name}`),
    'users.placeOfBirth.replaceOne',
    ...['replaceMany', 'addMany', 'removeMany'].map((name) => `users.relatives.${name}`),
    'lid',
  ])
})

it.each(examples)(
  'the example %s is done where its user is the caller’s',
  async (name, { value }) => {
    const { id, token } = await createUser()
    const { 'atomic:operations': sent } = structuredClone(value) as {
      'atomic:operations': {
        op: string
        ref?: { id?: string }
        data?: { id?: string; attributes?: { email?: string }; relationships?: unknown }
      }[]
    }
    for (const { op, ref, data } of sent) {
      if (ref?.id !== undefined) {
        ref.id = id
        if (data?.id !== undefined && name === 'users.update') {
          data.id = id
        }
      }
      if (op === 'add' && data?.attributes) {
        data.attributes.email = uniqueEmail()
      }
    }
    const { status, document } = await transact(token, sent)
    expect([status, document.errors]).toEqual([200, undefined])
  },
)
