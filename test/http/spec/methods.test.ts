import { describe, expect, it } from 'vitest'
import { mediaType, request, uniquePerson } from '../../support/service.ts'
import { atomicType } from '../../support/transactions.ts'

/** Paths by what answers there: operations, 404 for those not implemented, 405 for the rest. */
const paths: readonly (readonly [path: string, operations: string, absent: string])[] = [
  ['/countries', 'GET', 'POST'],
  ['/countries/NO', 'GET', 'PATCH DELETE'],
  ['/countries/NO/relationships/currencies', 'GET', 'PATCH POST DELETE'],
  ['/currencies', 'GET', 'POST'],
  ['/currencies/NOK', '', 'GET PATCH DELETE'],
  ['/users', 'GET POST', ''],
  ['/users/1', 'GET PATCH DELETE', ''],
  ['/users/1/relationships/citizenships', 'GET PATCH POST DELETE', ''],
  ['/users/1/relationships/placeOfBirth', 'GET PATCH', ''],
  ['/users/1/relationships/relatives', 'GET PATCH POST DELETE', ''],
  ['/countries/NO/currencies', 'GET', ''],
  ['/users/1/citizenships', 'GET', ''],
  ['/users/1/placeOfBirth', 'GET', ''],
  ['/users/1/relatives', 'GET', ''],
  ['/operations', 'POST', ''],
]
/** Also at /operations, where the usual media type is not enough. */
const any = { headers: { accept: '*/*' } }
const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'PROPFIND']

/** `Allow` as it is written: HEAD wherever GET is, OPTIONS everywhere. */
const allowOf = (allow: readonly string[]) =>
  [...allow.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].sort()

const listed = (header: string | undefined) => header?.split(', ').sort()

describe('methods by path', () => {
  it.each(paths)('of %s', async (path, operations, absent) => {
    const allow = operations.split(' ').filter(Boolean)
    for (const method of methods) {
      const { status, document, headers } = await request(method, `/jsonapi${path}`, any)
      const [expected, code] = allow.includes(method)
        ? [401, 'UNAUTHORIZED']
        : absent.includes(method)
          ? [404, 'NOT_FOUND']
          : [405, 'METHOD_NOT_SUPPORTED']
      expect([method, status]).toEqual([method, expected])
      expect(document.errors).toMatchObject([{ status: String(expected), code }])
      expect(listed(headers.allow)).toEqual(expected === 405 ? allowOf(allow) : undefined)
    }
    const { status, text, headers } = await request('OPTIONS', `/jsonapi${path}`)
    expect([status, text]).toEqual([204, ''])
    expect(listed(headers.allow)).toEqual(allowOf(allow))
    expect(headers['content-type']).toBeUndefined()
    const type = path === '/operations' ? atomicType : mediaType
    const taken = (method: string) => (allow.includes(method) ? type : undefined)
    expect([headers['accept-patch'], headers['accept-post']]).toEqual([
      taken('PATCH'),
      taken('POST'),
    ])
  })

  it.each([
    ...['/jsonapi/planets', '/jsonapi/users/1/friends', '/jsonapi/users/1/relationships'],
    ...['/jsonapi/users/1/relationships/friends', '/jsonapi/Users', '/jsonapi/users/'],
    ...['/jsonapi/users/1%0A/', '/jsonapi/__proto__', '/jsonapi/'],
    ...['/users', '/jsonapix/users', '/JSONAPI/users'],
  ])('%s is no path of any shape: 404', async (path) => {
    for (const method of ['GET', 'PUT']) {
      const { faults } = await request(method, path)
      expect(faults).toEqual(['404 NOT_FOUND'])
    }
  })
})

describe('the detail of a 404', () => {
  it.each([
    ['GET', '/users', '/jsonapi/users'],
    ['GET', '/jsonapi/', '/jsonapi'],
    ['GET', '/JSONAPI/Users/Ab', '/jsonapi/users/Ab'],
    ['GET', '/jsonapi/country/NO/Currency/', '/jsonapi/countries/NO/currencies'],
    ['HEAD', '/jsonapi/user/1', undefined],
    ['GET', '/jsonapi/users/1/placeofbirth', '/jsonapi/users/1/placeOfBirth'],
    ['PATCH', '/user/1/relationship/relative', '/jsonapi/users/1/relationships/relatives'],
    ['POST', '/jsonapi/operation', '/jsonapi/operations'],
  ])('names the path that %s %s means', async (method, path, right) => {
    const { status, text } = await request(method, path)
    expect(status).toBe(404)
    if (right) {
      const { errors } = JSON.parse(text)
      expect(errors[0].detail).toContain(`is not implemented. The right path is "${right}".`)
    }
  })

  it.each([
    ['POST', '/jsonapi/countries'],
    ['GET', '/jsonapi/currency/NOK'],
    ['GET', '/jsonapi/planets'],
    ['GET', '/jsonapi/users//relatives'],
  ])('names none for %s %s', async (method, path) => {
    const { document } = await request(method, path)
    expect(document.errors?.[0]?.detail).toMatch(/ is not implemented\.$/)
  })
})

const changing = ['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id']
/** The headers of an answer but for those that differ from request to request. */
const lasting = (headers: object) =>
  Object.entries(headers).filter(
    ([name]) => !changing.includes(name) && name !== 'x-ratelimit-remaining',
  )

it.each([
  ['/countries', 200],
  ['/users?filter[id]=1,2', 200],
  ['/users/1/relationships/relatives', 200],
  ['/planets', 404],
  ['/operations', 405],
  ['/countries?page[limit]=1', 400],
])('HEAD answers like GET %s, with its length but without a body', async (path, status) => {
  const { token } = await uniquePerson()
  const full = await request('GET', `/jsonapi${path}`, { token })
  const head = await request('HEAD', `/jsonapi${path}`, { token })
  expect([head.status, full.status, head.text]).toEqual([status, status, ''])
  const length = String(Buffer.byteLength(full.text))
  expect(Object.fromEntries(lasting(head.headers))).toEqual({
    ...Object.fromEntries(lasting(full.headers)),
    'content-length': length,
  })
})
