import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import type { Vars } from '../../support/server.ts'
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
// Nothing is sent again within three seconds, so that each of the four operations meets the fault once.
const once = 4
const always = 99
// Reads are not sent again.
const but = { read: 'failed' } as const

/** Faults by the Worker that meets them, one after the other. */
const workers: readonly (readonly [name: string, vars: Vars, rows: readonly Row[]])[] = [
  [
    'the usual deadline',
    { JWKS_URL: '/jwks' },
    [
      { fault: 'the key set breaks off', all: 'failed' },
      // A new resource that is not there is created again. Whether a change was made is not known.
      {
        fault: 'D1 refuses once',
        database: lost,
        times: once,
        all: 'done',
        but: { ...but, update: 'unknown' },
      },
      {
        fault: 'D1 refuses since it is overloaded',
        database: 'D1 DB is overloaded. Too many requests queued.',
        times: always,
        all: 'failed',
      },
      {
        fault: 'D1 loses its answer once',
        database: 'loses the answer',
        times: once,
        all: 'done',
        but,
      },
      {
        fault: 'D1 loses its answer always',
        database: 'loses the answer',
        times: always,
        all: 'storedUnknown',
        but,
      },
      { fault: 'the limiter throws', limiter: 'throws', all: 'done' },
      { fault: 'the limiter hangs', limiter: 'hangs', all: 'done' },
      { fault: 'the limiter is overloaded', limiter: 'is overloaded', all: 'refused' },
    ],
  ],
  [
    'a short deadline',
    { D1_DEADLINE_MS: '500' },
    [{ fault: 'D1 hangs', database: 'hangs', times: always, all: 'unknown', but }],
  ],
]

/** The issuer stops in the middle of its answer until it is well again. */
let isMended = false
const { d: _, ...key } = inject('signingKey')
const good = JSON.stringify({ keys: [key] })
const issuer = createServer((_request, response) => {
  if (isMended) {
    response.end(good)
  } else {
    response.write('{"keys":[')
  }
})

beforeAll(() => new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve)))

afterAll(() => {
  issuer.close()
  issuer.closeAllConnections()
})

it.skipIf(inject('database') !== 'D1').concurrent.each(workers)(
  'with %s, %j: each operation ends as it must, and the next request works',
  async (name, { JWKS_URL, ...vars }, rows) => {
    const jwks = JWKS_URL && {
      JWKS_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}${JWKS_URL}`,
    }
    const service = await tappedService(name, { ...vars, ...jwks })
    if (JWKS_URL === undefined) {
      await service.ready()
    }
    for (const { fault, all, but = {}, ...faults } of rows) {
      const met = await meet(service, faults)
      const expected = Object.entries(operations).map(([operation, { status }]) => {
        const outcome = outcomes[but[operation as Operation] ?? all]
        return [operation, { status, ...outcome, ...(operation === 'read' && { stored: false }) }]
      })
      expect(met, fault).toMatchObject(Object.fromEntries(expected))
      isMended ||= JWKS_URL !== undefined
      await service.tap({ aheadMs: 60_000 })
      const next = await get('/users/1', await clientToken(), { origin: service.origin })
      expect(next.status, `after ${fault}`).toBe(200)
      await service.tap()
    }
    if (JWKS_URL) {
      expect(await service.logs('limiter degraded')).not.toEqual([])
    }
  },
)

/** Sends all operations at once under a fault; what became of each. */
async function meet(service: TappedService, faults: Faults) {
  const token = await person('1', 'users.read users.write')
  await service.tap(faults)
  const sent = Object.entries(operations).map(async ([operation, { send }]) => {
    const name = `${operation}-${crypto.randomUUID()}`
    const answer = await send({ token, origin: service.origin, name })
    expect(answer.text).not.toMatch(/D1|SQL|overloaded|connection|TypeError/)
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
