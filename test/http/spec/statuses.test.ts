import { expect, it } from 'vitest'
import { allScopes } from '../../support/people.ts'
import { get, reader, request, uniquePerson } from '../../support/service.ts'
import { operations } from '../description/openapi.ts'
import { contentOf } from '../description/read-description.ts'

// Which statuses an operation has, test/http/description compares with the contract. Those that do not depend on the operation have tests of
// their own: methods.test.ts, order-of-checks.test.ts, revisions.test.ts.

it.each(operations.filter(({ method }) => method === 'GET'))(
  'GET $path answers 304 to whoever has its tag',
  async ({ path }) => {
    // Other tests add users to the whole list at the same time.
    const query = path === '/users' ? '?filter[id]=1' : ''
    const url = path.replace('{id}', path.startsWith('/users') ? '1' : 'NO') + query
    const { status, headers } = await get(url, await reader())
    const tag = { 'if-none-match': String(headers.etag) }
    expect([status, (await get(url, await reader(), { headers: tag })).status]).toEqual([200, 304])
  },
)

it.each(operations.filter(({ path }) => path.includes('{id}')))(
  '$method $path answers 404 where there is no such resource',
  async ({ method, path, requestBody }) => {
    const { token } = await uniquePerson(allScopes)
    const example = requestBody && structuredClone(contentOf(requestBody.content).example)
    if (method === 'PATCH' && path.endsWith('{id}')) {
      Object.assign((example as { data: object }).data, { id: 'nobody' })
    }
    const url = `/jsonapi${path.replace('{id}', 'nobody')}`
    const answer = await request(method, url, {
      token,
      ...(example !== undefined && { body: example }),
    })
    const [error] = answer.document.errors ?? []
    expect([answer.status, error?.source]).toEqual([404, { path: 'id' }])
  },
)
