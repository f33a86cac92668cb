import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { createTestHarness, type TestHarness } from 'wrangler'
import { compatibility } from '../../../scripts/lib/compatibility.ts'
import { paths } from '../../../scripts/lib/config.ts'
import { createKeyCache } from '../../../src/auth/keys.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { cardKeys } from '../../support/card-keys.ts'
import { audience, createSigningKey, issuer } from '../../support/signing-key.ts'

/** A Worker that tells whether the cache that all Workers of one runtime share has something at an address. */
const probe = `export default {
  async fetch(request) {
    const found = await caches.default.match(await request.text())
    return new Response(null, { status: found ? 200 : 404 })
  }
}`

let harness: TestHarness
let folder: string
let keyServer: Server
let jwksUrl: string
let token: string
/** Requests for the key set. */
let fetches = 0

beforeAll(async () => {
  const key = await createSigningKey()
  keyServer = createServer((_request, response) => {
    fetches += 1
    response.end(JSON.stringify({ keys: [key.published] }))
  })
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve))
  jwksUrl = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/jwks`
  token = await new SignJWT({ client_id: 'isolates' })
    .setProtectedHeader({ alg: 'ES256', kid: String(key.secret.kid) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('isolates')
    .setExpirationTime('1h')
    .sign(await importJWK(key.secret, 'ES256'))
  folder = await mkdtemp(join(tmpdir(), 'isolates-'))
  await cp(join(inject('build'), 'worker.js'), join(folder, 'worker.js'))
  await writeFile(join(folder, 'probe.js'), probe)
  harness = createTestHarness({
    root: folder,
    workers: [
      configOf('first'),
      configOf('second'),
      {
        config: {
          name: 'probe',
          main: join(folder, 'probe.js'),
          compatibility_date: compatibility.date,
        },
      },
    ],
  })
  await harness.listen()
  await harness.getWorker('first').applyD1Migrations('DB')
})

afterAll(async () => {
  await harness?.close()
  keyServer?.close()
  keyServer?.closeAllConnections()
  await rm(folder, { recursive: true, force: true })
})

/** The built Worker under a name: each is an isolate of its own. */
function configOf(name: string) {
  return {
    config: {
      name,
      main: join(folder, 'worker.js'),
      no_bundle: true,
      compatibility_date: compatibility.date,
      compatibility_flags: [...compatibility.flags],
      d1_databases: [
        {
          binding: 'DB',
          database_name: 'isolates',
          database_id: 'isolates',
          migrations_dir: paths.migrations,
        },
      ],
      durable_objects: { bindings: [{ name: 'RATE_LIMITER', class_name: 'TokenBucket' }] },
      migrations: [{ tag: 'v1', new_sqlite_classes: ['TokenBucket'] }],
      vars: {
        AUTH_URL: issuer,
        TOKEN_ISSUER: issuer,
        TOKEN_AUDIENCE: audience,
        JWKS_URL: jwksUrl,
        CARD_KEYS: cardKeys,
      },
    },
  }
}

/** The status of a request with the token. */
async function ask(worker: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await harness
    .getWorker(worker)
    .fetch('https://api.example/jsonapi/countries', { headers })
  await response.arrayBuffer()
  return response.status
}

/** Is there something in the cache where the service keeps its keys? */
async function isKept(): Promise<boolean> {
  let address = ''
  const store = {
    match: async (url: string) => {
      address = url
      return undefined
    },
    put: async () => {},
  }
  const base = new URL('/jsonapi', audience).href
  await createKeyCache({ store, ring: parseKeyRing(cardKeys), url: jwksUrl, base }).read()
  const response = await harness
    .getWorker('probe')
    .fetch('https://probe.example/', { method: 'POST', body: address })
  return response.status === 200
}

it('A second isolate of the data centre asks the issuer for nothing (contract, section 3)', async () => {
  expect(await isKept()).toBe(false)
  expect(await ask('first')).toBe(200)
  expect(fetches).toBe(1)
  await vi.waitFor(async () => expect(await isKept()).toBe(true), { timeout: 20_000 })
  expect(await ask('second')).toBe(200)
  expect(fetches).toBe(1)
})
