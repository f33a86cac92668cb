import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clientToken, get, reader, request, uniquePerson } from '../../support/service.ts'
import { faultyCreates } from './body-faults.ts'
import { compared } from './fault.ts'
import { faultyQueries } from './query-faults.ts'

it('A read tells every fault of its query, each once, whichever they are', async () => {
  // No query below has this sort, so that the cursor belongs to none of them.
  const page = await get('/users?sort=-email', await reader())
  const foreign = page.document.meta?.['pagination.nextCursor'] as string
  const token = await clientToken()

  await fc.assert(
    fc.asyncProperty(faultyQueries(foreign), async ({ query, faults }) => {
      const answer = await get(`/users?${query.join('&')}`, token)
      const { told, wanted } = compared(answer, faults)
      expect(told).toEqual(wanted)
      expect(answer.status).toBe(400)
    }),
    { numRuns: 80 },
  )
})

it('A create tells every fault of its query and its body, each once, whichever they are', async () => {
  let { token } = await uniquePerson('users.write')
  let left = 15
  await fc.assert(
    fc.asyncProperty(faultyCreates, async ({ path, body, faults }) => {
      left -= 1
      if (left === 0) {
        token = (await uniquePerson('users.write')).token
        left = 3
      }
      const answer = await request('POST', `/jsonapi${path}`, { token, body })
      const { told, wanted } = compared(answer, faults)
      expect(told).toEqual(wanted)
    }),
    { numRuns: 120 },
  )
})
