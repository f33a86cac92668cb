import { describe, expect, it } from 'vitest'
import { client, get, request, slowService, uniquePerson } from '../../support/service.ts'

const wrong = { accept: 'text/csv', contentType: 'text/plain' }
const long = `?x=${'x'.repeat(4_095)}`

const noScope = async () => (await uniquePerson('')).token
const writer = async () => (await uniquePerson('users.write')).token

/** A request that fails one check beside its query string. */
interface Row {
  readonly status: number
  readonly method?: string
  readonly path: string
  readonly token?: () => Promise<string>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const before: readonly Row[] = [
  { status: 404, path: '/planets' },
  { status: 405, method: 'PUT', path: '/users' },
  { status: 406, path: '/users', headers: { accept: wrong.accept } },
  { status: 401, path: '/users' },
  { status: 403, path: '/users/1/relationships/relatives', token: noScope },
  {
    status: 415,
    method: 'PATCH',
    path: '/users/1',
    token: writer,
    headers: { 'content-type': wrong.contentType },
    body: 'x',
  },
]

describe('a query string of more than 4,096 characters (contract, section 6)', () => {
  it.each(before)('is told after $status', async ({ status, method = 'GET', path, ...row }) => {
    const { token, headers, body } = row
    const answer = await request(method, `/jsonapi${path}${long}`, {
      ...(token && { token: await token() }),
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    })
    expect(answer.status).toBe(status)
  })

  it('is told after 429', async () => {
    const { origin } = await slowService()
    const token = await writer()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => get(`/users${long}`, token, { origin })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 429]))
  })

  it('is told in the answer to HEAD, too, and one character less is judged', async () => {
    const head = await request('HEAD', `/jsonapi/countries${long}`, { token: await client() })
    expect(head.status).toBe(400)
    const { document } = await get(`/countries${long.slice(0, -1)}`, await client())
    expect(document.errors).toMatchObject([{ code: 'UNEXPECTED_PARAMETER' }])
  })
})
