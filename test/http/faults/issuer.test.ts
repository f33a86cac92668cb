import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { afterEach, expect, inject, it, vi } from 'vitest'
import { client, get, variant } from '../../support/service.ts'

let close = () => {}

afterEach(() => close())

/** A service that has no keys yet, and the requests for the keys that its issuer has received. */
async function startCold() {
  const fetches: ServerResponse[] = []
  const server = createServer((_request, response) => fetches.push(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.close()
    server.closeAllConnections()
  }
  const { port } = server.address() as AddressInfo
  const { origin } = await variant({ JWKS_URL: `http://127.0.0.1:${port}/jwks` })
  return { origin, fetches, fetched: () => vi.waitUntil(() => fetches[0], 20_000) }
}

it('Requests that come at the same time share one fetch of the keys, and each key with the right kid is tried', async () => {
  const { origin, fetches, fetched } = await startCold()
  const token = await client()
  const answers = Promise.all(
    Array.from({ length: 10 }, () => get('/countries', token, { origin })),
  )
  const { d: _, ...key } = inject('signingKey')
  const { publicKey } = await generateKeyPair('ES256')
  const twin = { ...(await exportJWK(publicKey)), kid: key.kid }
  const response = await fetched()
  response.end(JSON.stringify({ keys: ['no key', twin, key] }))
  expect((await answers).map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(fetches).toHaveLength(1)
})

it('A key set that breaks off in mid-body is a 500 that says when to come back, within seconds', async () => {
  const { origin, fetched } = await startCold()
  const answer = get('/countries', await client(), { origin })
  const response = await fetched()
  response.write('{"keys":[')
  const { status, headers } = await answer
  expect(status).toBe(500)
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})
