import { expect, it } from 'vitest'
import { allScopes } from '../../support/people.ts'
import { get, mediaType, reader, request, uniquePerson } from '../../support/service.ts'
import { operations } from '../description/openapi.ts'
import { contentOf } from '../description/read-description.ts'

// Which statuses an operation has, test/http/description compares with the contract. Those that do not depend on the operation have tests of
// their own: methods.test.ts, order-of-checks.test.ts, revisions.test.ts.

/** The content of what is answered without any. */
const jsonApi = { [mediaType]: { schema: {} } }

/** The id of a resource of a type that no test changes. */
async function someId(type = ''): Promise<string> {
  return type === 'users'
    ? '1'
    : String((await get(`/${type}`, await reader())).document.data[0].id)
}

it.each(operations.filter(({ method }) => method === 'GET'))(
  'GET $path answers 304 to whoever has its tag',
  async ({ path, responses }) => {
    // Other tests add users to the whole list at the same time.
    const query = path === '/users' ? '?filter[id]=1' : ''
    const url = path.replace('{id}', await someId(path.split('/')[1])) + query
    const headers = { accept: contentOf(responses['200']?.content ?? {}).name }
    const first = await get(url, await reader(), { headers })
    const tag = { ...headers, 'if-none-match': String(first.headers.etag) }
    const again = await get(url, await reader(), { headers: tag })
    expect([first.status, again.status]).toEqual([200, 304])
  },
)

it.each(operations.filter(({ path }) => path.includes('{id}')))(
  '$method $path answers 404 where there is no such resource',
  async ({ method, path, requestBody, responses }) => {
    const { token } = await uniquePerson(allScopes)
    const example = requestBody && structuredClone(contentOf(requestBody.content).example)
    if (method === 'PATCH' && path.endsWith('{id}')) {
      Object.assign((example as { data: object }).data, { id: 'nobody' })
    }
    const url = `/jsonapi${path.replace('{id}', 'nobody')}`
    const answer = await request(method, url, {
      token,
      headers: { accept: contentOf(responses['200']?.content ?? jsonApi).name },
      ...(example !== undefined && { body: example }),
    })
    const [error] = answer.document.errors ?? []
    expect([answer.status, error?.source]).toEqual([404, { path: 'id' }])
  },
)
