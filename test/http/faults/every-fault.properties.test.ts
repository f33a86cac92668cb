import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Answer,
  clientToken,
  get,
  reader,
  request,
  uniquePerson,
} from '../../support/service.ts'
import { faultyCreates } from './body-faults.ts'
import type { Fault } from './fault.ts'
import { faultyQueries } from './query-faults.ts'

/** The most errors that one answer tells. */
const most = 50

/** Faults as lines of text, in an order of their own. */
function lines(faults: readonly Fault[]): string[] {
  return faults.map(({ code, source }) => `${code} ${JSON.stringify(source)}`).toSorted()
}

/**
 * The faults that an answer tells, beside those that it should tell: each fault once, whatever the others are. Of more than
 * 50 it tells 50, and how many there are.
 */
function compared({ document }: Answer, expected: readonly Fault[]) {
  const errors = document.errors ?? []
  const told = lines(errors.map(({ code, source }) => ({ code, source: source ?? {} })))
  const wanted = lines(expected)
  if (expected.length <= most) {
    return { told, wanted }
  }
  const rest = [...wanted]
  const known = told.filter((line) => {
    const index = rest.indexOf(line)
    return index >= 0 && rest.splice(index, 1).length > 0
  })
  return {
    told: [known.length, /There are at least (\d+) errors/.exec(errors.at(-1)?.detail ?? '')?.[1]],
    wanted: [most, String(expected.length)],
  }
}

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
