import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { client, get, variant } from '../../support/service.ts'

it('Requests that come at the same time share one fetch of the keys, and each key with the right kid is tried', async () => {
  const fetches: ServerResponse[] = []
  const server = createServer((_request, response) => fetches.push(response))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { origin } = await variant({ JWKS_URL: `http://127.0.0.1:${port}/jwks` })
  const token = await client()
  const answers = Promise.all(
    Array.from({ length: 10 }, () => get('/countries', token, { origin })),
  )
  const { d: _, ...key } = inject('signingKey')
  const { publicKey } = await generateKeyPair('ES256')
  const twin = { ...(await exportJWK(publicKey)), kid: key.kid }
  const response = await vi.waitUntil(() => fetches[0], 20_000)
  response.end(JSON.stringify({ keys: ['no key', twin, key] }))
  expect((await answers).map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(fetches).toHaveLength(1)
})
