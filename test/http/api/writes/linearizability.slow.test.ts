import { beforeAll, expect, it } from 'vitest'
import {
  linearization,
  type Register,
  type RegisterOperation,
  register,
  type Timed,
} from '../../../support/linearizability.ts'
import { allScopes, newUser } from '../../../support/people.ts'
import { type Answer, type BackDoor, configuredService, request } from '../../../support/service.ts'
import { change, type Writer, writer } from './writers.ts'

/** Histories of each lane; lanes run side by side and share nothing but the service. */
const perLane = 10
const lanes = ['a', 'b', 'c', 'd'] as const
const callers = 8
const callsOfCaller = 2
const users = 3

let service: BackDoor
let me: Writer
beforeAll(async () => {
  service = await configuredService()
  me = await writer(allScopes)
})

function send(
  method: string,
  path: string,
  { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> },
): Promise<Answer> {
  return request(method, `/jsonapi${path}`, {
    token: me.token,
    origin: service.origin,
    headers,
    ...(body !== undefined && { body }),
  })
}

/** The revision in a tag, where it has one: what stands before the dot. */
function revisionOf({ headers }: Answer): string | undefined {
  return /^(?:W\/)?"([^".]+)\./.exec(String(headers.etag))?.[1]
}

async function read(id: string): Promise<RegisterOperation> {
  const answer = await send('GET', `/users/${id}?fields[users]=fullName`, {})
  expect(answer.status, answer.text).toBe(200)
  const { fullName } = answer.document.data.attributes
  return { kind: 'read', value: fullName, tag: revisionOf(answer) }
}

async function write(id: string, value: string): Promise<RegisterOperation> {
  const body = change(id, { attributes: { fullName: value } })
  const answer = await send('PATCH', `/users/${id}`, { body })
  expect(answer.status, answer.text).toBe(204)
  return { kind: 'write', value, tag: revisionOf(answer) }
}

async function writeIf(id: string, value: string, condition: string): Promise<RegisterOperation> {
  const body = change(id, { attributes: { fullName: value } })
  const headers = { 'if-match': `"${condition}."` }
  const answer = await send('PATCH', `/users/${id}`, { body, headers })
  expect([204, 412], answer.text).toContain(answer.status)
  const done = answer.status === 204
  return { kind: 'conditional write', condition, done, value, tag: revisionOf(answer) }
}

type Histories = ReadonlyMap<string, Timed<RegisterOperation>[]>

/** What several callers do to some users at the same time, each one call after the other: a history of each user. */
async function histories(
  ids: readonly string[],
  before: readonly Register[],
  mark: string,
): Promise<Histories> {
  const all: Histories = new Map(ids.map((id) => [id, []]))
  let clock = 0
  const caller = async (who: number): Promise<void> => {
    const seen = new Map(ids.map((id, index) => [id, before[index]?.tag ?? expect.unreachable()]))
    for (let nth = 0; nth < callsOfCaller; nth++) {
      const id = ids[Math.floor(Math.random() * ids.length)] ?? ''
      const value = `${mark}, caller ${who}, call ${nth}`
      const tag = seen.get(id)
      const start = clock++
      const operation =
        Math.random() < 0.5
          ? await read(id)
          : tag !== undefined && Math.random() < 0.7
            ? await writeIf(id, value, tag)
            : await write(id, value)
      all.get(id)?.push({ operation, start, end: clock++ })
      if (operation.tag !== undefined) {
        seen.set(id, operation.tag)
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, who) => caller(who)))
  return all
}

/** How many operations were under way at the same time as another one of the same user. */
function overlapsOf(history: readonly Timed<RegisterOperation>[]): number {
  return history.filter((one) =>
    history.some((other) => other !== one && one.start < other.end && other.start < one.end),
  ).length
}

it.concurrent.each(lanes)(
  `reads and writes of ${callers} callers at once have an order that explains every answer: ${perLane} histories (lane %s)`,
  async (lane) => {
    const made = await Promise.all(
      Array.from({ length: users }, () => send('POST', '/users', { body: newUser() })),
    )
    const ids = made.map(({ document }) => document.data.id)
    let overlaps = 0
    const swaps = { done: 0, refused: 0 }
    for (let nth = 0; nth < perLane; nth++) {
      const before = await Promise.all(ids.map(read))
      for (const [id, history] of await histories(ids, before, `${lane}${nth}`)) {
        const initial = before[ids.indexOf(id)] ?? expect.unreachable()
        const explained = linearization(history, register(initial))
        expect(explained, JSON.stringify({ initial, history })).toBeDefined()
        overlaps += overlapsOf(history)
        for (const { operation } of history) {
          if (operation.kind === 'conditional write') {
            swaps[operation.done ? 'done' : 'refused']++
          }
        }
      }
    }
    // Without operations at the same time, the test would show nothing.
    expect(overlaps).toBeGreaterThan((perLane * callers * callsOfCaller) / 2)
    expect(swaps.done).toBeGreaterThan(perLane / 2)
    expect(swaps.refused).toBeGreaterThan(perLane / 2)
  },
  300_000,
)
