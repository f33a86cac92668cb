import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reads, smokeTest, smokeToken } from '../../../../scripts/deploy/smoke.ts'

/** A deployment that answers as it should, but for what `faults` says of a path. */
let server: Server
let address: string
let faults: Record<string, number>
let asked: IncomingMessage[]
beforeEach(async () => {
  faults = {}
  asked = []
  server = createServer((request, response) => {
    asked.push(request)
    const path = request.url ?? ''
    const isApi = path.startsWith('/jsonapi/') && !/oas|docs/.test(path)
    const usual = isApi && request.headers.authorization !== 'Bearer good' ? 401 : 200
    response.writeHead(faults[path] ?? usual, { 'Content-Type': 'application/vnd.api+json' })
    response.end(path === '/token' ? '{"access_token":"good"}' : '{"data":[{"id":"1"}]}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => server.close())

const atOnce = { attempts: 1, pause: 0 }
const target = () => ({ address, root: '/jsonapi', token: 'good' })

describe('The smoke test of a deployment', () => {
  it('reads the pages and what any token may read, and writes nothing', async () => {
    expect(await smokeTest(target(), atOnce)).toEqual([])
    expect(reads.length).toBeGreaterThanOrEqual(4)
    expect(asked).toHaveLength(5 + reads.length)
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('tells each thing that is not as it should be', async () => {
    faults = { '/health': 503, '/jsonapi/countries/PA?include=currencies': 500 }
    expect(await smokeTest(target(), atOnce)).toEqual([
      'GET /health answers 503, not 200.',
      'GET /jsonapi/countries/PA?include=currencies answers 500, not 200.',
    ])
  })

  it('finds a service that lets anybody read', async () => {
    faults = { '/jsonapi/users': 200 }
    expect(await smokeTest({ ...target(), token: undefined }, atOnce)).toEqual([
      'GET /jsonapi/users answers 200, not 401.',
    ])
  })

  it('looks again at a service that is not up yet', async () => {
    faults = { '/health': 503 }
    setTimeout(() => {
      faults = {}
    }, 20)
    expect(await smokeTest(target(), { attempts: 100, pause: 10 })).toEqual([])
  })
})

it('The token of the smoke test is missed in one line where none is given', async () => {
  faults = { '/token': 400 }
  await expect(smokeToken({ SMOKE_TOKEN_URL: `${address}/token` })).rejects.toThrow(
    /^SMOKE_TOKEN_URL gives no token: it answers 400\.$/,
  )
})
