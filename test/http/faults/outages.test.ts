import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { linesWith } from '../../support/log.ts'
import { type Answer, clientToken, get, person, request } from '../../support/service.ts'
import { type Faults, type TappedService, tappedService } from '../../support/tapped.ts'
import { transact } from '../../support/transactions.ts'

/** With what an operation is sent, and the name of a user that it stores. */
interface Sending {
  readonly token: string
  readonly origin: string
  readonly name: string
}

/** What creates a user with a name. */
const created = ({ name }: Sending) => ({
  type: 'users',
  attributes: { fullName: name, email: `${name}@example.com` },
})

/** The operations that meet each fault, all at once, and their statuses without one. */
const operations = {
  read: { status: 200, send: ({ token, origin }) => get('/users/1', token, { origin }) },
  create: {
    status: 201,
    send: (sending) =>
      request('POST', '/jsonapi/users', { ...sending, body: { data: created(sending) } }),
  },
  update: {
    status: 204,
    send: ({ name: fullName, ...to }) => {
      const data = { type: 'users', id: '1', attributes: { fullName } }
      return request('PATCH', '/jsonapi/users/1', { ...to, body: { data } })
    },
  },
  transaction: {
    status: 200,
    send: (sending) => transact(sending.token, [{ op: 'add', data: created(sending) }], sending),
  },
} satisfies Record<string, { status: number; send: (sending: Sending) => Promise<Answer> }>

type Operation = keyof typeof operations

const failure = { status: 500, code: 'INTERNAL_SERVER_ERROR', retryAfter: true, unknown: false }

/** What a caller is told, and whether the write is stored. The status of what is done is its own. */
const outcomes = {
  done: { stored: true },
  failed: { ...failure, stored: false },
  unknown: { ...failure, unknown: true, stored: false },
  storedUnknown: { ...failure, unknown: true, stored: true },
  refused: { ...failure, status: 429, code: 'TOO_MANY_REQUESTS', stored: false },
}

/** A fault, what becomes of the operations, and of those that differ. */
interface Row extends Faults {
  readonly fault: string
  readonly all: keyof typeof outcomes
  readonly but?: Partial<Record<Operation, keyof typeof outcomes>>
}

const lost = 'Network connection lost.'
// Nothing is sent again within a second, so that each of the four operations meets the fault once.
const once = { times: 4 }
const always = { times: 99 }
// Reads are not sent again.
const but = { read: 'failed' } as const

/** Faults that the Worker meets one after the other. What cannot be found may have been made, and deleted or changed since. */
const rows: readonly Row[] = [
  { fault: 'the key set breaks off', all: 'failed' },
  { fault: 'D1 refuses once', database: lost, ...once, all: 'unknown', but },
  {
    fault: 'D1 refuses since it is overloaded',
    ...{ database: 'D1 DB is overloaded. Too many requests queued.', ...always },
    all: 'failed',
  },
  { fault: 'D1 loses its answer once', database: 'loses the answer', ...once, all: 'done', but },
  {
    fault: 'D1 loses its answer always',
    ...{ database: 'loses the answer', ...always },
    all: 'storedUnknown',
    but,
  },
  { fault: 'D1 hangs', database: 'hangs', ...always, all: 'unknown', but },
  { fault: 'the limiter throws', limiter: 'throws', all: 'done' },
  { fault: 'the limiter hangs', limiter: 'hangs', all: 'done' },
  { fault: 'the limiter is overloaded', limiter: 'is overloaded', all: 'refused' },
]

/** The issuer stops in the middle of its answer until it is well again. Then one key of two has the right id by mistake. */
let isMended = false
let fetches = 0
const { d: _, ...key } = inject('signingKey')
const twin = { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid: key.kid }
const issuer = createServer((_request, response) => {
  fetches++
  if (isMended) {
    response.end(JSON.stringify({ keys: ['no key', twin, key] }))
  } else {
    response.write('{"keys":[')
  }
})

describe.skipIf(inject('database') !== 'D1')('Where something fails', () => {
  let service: TappedService
  beforeAll(async () => {
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
    const { port } = issuer.address() as AddressInfo
    const vars = { JWKS_URL: `http://127.0.0.1:${port}/jwks`, D1_DEADLINE_MS: '2000' }
    service = await tappedService('outages', vars)
  })
  afterAll(() => {
    issuer.close()
    issuer.closeAllConnections()
  })

  it.each(rows)(
    '$fault: each operation ends as it must, and the next request works',
    async ({ fault: _fault, all, but = {}, ...faults }) => {
      const met = await meet(service, faults)
      const expected = Object.entries(operations).map(([operation, { status }]) => {
        const outcome = outcomes[but[operation as Operation] ?? all]
        return [operation, { status, ...outcome, ...(operation === 'read' && { stored: false }) }]
      })
      expect(met).toMatchObject(Object.fromEntries(expected))
      if (!isMended) {
        await expectNoKeys(service)
        isMended = true
      }
      await service.tap({ aheadMs: 60_000 })
      const next = await get('/users/1', await clientToken(), { origin: service.origin })
      expect(next.status).toBe(200)
      await service.tap()
    },
  )

  it('the log tells of the limiter, and names no resource that nobody has found', async () => {
    expect(await service.logs('limiter degraded')).not.toEqual([])
    const failed = await service.logs('"status":500')
    expect(failed).not.toEqual([])
    expect(failed.filter((line) => line.includes('"resource"'))).toEqual([])
  })
})

/** Expects that all requests so far have shared one fetch of the keys, and that log and health tell of it. */
async function expectNoKeys({ origin, logs }: TappedService): Promise<void> {
  expect(fetches).toBe(1)
  const { document } = await get('/users', await clientToken(), { origin })
  const [line] = await linesWith(document.errors?.[0]?.id ?? '-', logs)
  expect(line).toContain('"level":"error"')
  const { status, text } = await request('GET', '/health', { origin })
  expect([status, JSON.parse(text)]).toEqual([
    503,
    { status: 'failing', checks: { database: 'ok', limiter: 'ok', keys: 'failing' } },
  ])
  await linesWith('"event":"unhealthy","dependency":"keys"', logs)
}

/** Sends all operations at once under a fault; what became of each. */
async function meet(service: TappedService, faults: Faults) {
  const token = await person('1', 'users.read users.write')
  await service.tap(faults)
  const sent = Object.entries(operations).map(async ([operation, { send }]) => {
    const name = `${operation}-${crypto.randomUUID()}`
    const answer = await send({ token, origin: service.origin, name })
    expect(answer.text).not.toMatch(/D1|SQL|overloaded|connection|TypeError|127\.0\.0\.1|jwks/)
    const [error] = answer.status < 400 ? [] : (answer.document.errors ?? [])
    return [
      operation,
      {
        status: answer.status,
        code: error?.code,
        retryAfter: Number(answer.headers['retry-after']) >= 1,
        unknown: error?.detail?.includes('is not known') ?? false,
        stored: await isStored(service, name),
      },
    ] as const
  })
  return Object.fromEntries(await Promise.all(sent))
}

async function isStored({ query }: TappedService, name: string): Promise<boolean> {
  return (await query('SELECT 1 FROM users WHERE full_name = ?1', name)).length > 0
}
