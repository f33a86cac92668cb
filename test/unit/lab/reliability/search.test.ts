import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { broken, brokenByCpu, costBy } from '../../../../lab/reliability/attack/bounds.ts'
import type { Candidate, Subject } from '../../../../lab/reliability/attack/candidate.ts'
import { climbOf } from '../../../../lab/reliability/attack/climb.ts'
import type { Measured, Meter } from '../../../../lab/reliability/attack/meter.ts'
import { randomOf } from '../../../../lab/reliability/attack/random.ts'
import { search } from '../../../../lab/reliability/attack/search.ts'
import { pairsOfOperations } from '../../../../lab/reliability/attack/transactions.ts'
import { named } from '../../../../lab/reliability/attack/world.ts'
import { shell } from '../../../../lab/reliability/lib/curl.ts'

/** Something like a request: its parts, one of them a list. */
const any = fc.record({
  mode: fc.nat(9),
  size: fc.constantFrom(1, 20, 100),
  pairs: fc.array(fc.nat(9), { maxLength: 3 }),
})
const start = { mode: 0, size: 1, pairs: [] as number[] }

/** Costs much only where three things come together, as the worst requests do. */
const cost = ({ mode, size, pairs }: typeof start): number =>
  (mode === 7 ? 1_000 : 0) + size + (mode === 7 && pairs.includes(3) && pairs.includes(5) ? 900 : 0)

/** What a climb tries, in its order. */
function climbed(seed: number, steps: number): (typeof start)[] {
  const climb = climbOf(any, start, seed, randomOf(seed))
  return Array.from({ length: steps }, () => {
    const value = climb.next()
    climb.learn(value, cost(value))
    return value
  })
}

test('A climb finds the most that all parts together can cost', () => {
  expect(Math.max(...climbed(1, 2_000).map(cost))).toBe(2_000)
})

test('A climb of the same seed tries the same requests, and one of another seed tries others', () => {
  expect(climbed(3, 200)).toEqual(climbed(3, 200))
  expect(climbed(4, 200)).not.toEqual(climbed(3, 200))
})

test('A shell writes the same text that is sent, and is told what is repeated once', () => {
  const text = `a'b"c ${'%2C\\,'.repeat(30)}\n${'x'.repeat(5_000)}{"é":1}${'%d%%'.repeat(21)}`
  const words = shell(text)
  expect(words.length).toBeLessThan(200)
  expect(execFileSync('bash', ['-c', `printf %s ${words}`], { encoding: 'utf8' })).toBe(text)
  expect(shell('')).toBe("''")
})

const plain: Measured = {
  status: 200,
  path: '/jsonapi/users',
  tokens: 2,
  counts: {
    roundTrips: 1,
    rowsRead: 100,
    rowsWritten: 0,
    changes: 0,
    objectCalls: 1,
    undone: 0,
  },
  bytes: 1_000,
  pages: 1,
}

test('The costs of a search are counted per token', () => {
  expect(costBy('rows', plain)).toBe(50)
  expect(costBy('bytes', plain)).toBe(500)
  expect(costBy('cpu', plain)).toBe(0.5)
  expect(costBy('undone', { ...plain, counts: { ...plain.counts, undone: 998 } })).toBe(499)
  expect([...broken(plain), ...brokenByCpu(plain)]).toEqual([])
})

test.each<[string, Partial<Measured>]>([
  ['rows', { counts: { ...plain.counts, rowsRead: 4_001 } }],
  ['bytes', { bytes: 700_001 }],
  ['bytes of a refusal', { status: 400, tokens: 20, bytes: 65_537 }],
  ['rows that are undone', { status: 404, counts: { ...plain.counts, undone: 41 } }],
  ['D1 at no price', { tokens: undefined }],
  ['D1 without a token', { status: 401, tokens: 1 }],
  ['a failure', { status: 500 }],
])('A search reports a request that goes beyond a bound: %s', (_, beyond) => {
  expect(broken({ ...plain, ...beyond })).toHaveLength(1)
})

test.each<[string, Partial<Measured>]>([
  ['of what has a price', { pages: 6.1 }],
  ['at no price', { tokens: undefined, pages: 1.1 }],
])('A search reports CPU beyond a bound: %s', (_, beyond) => {
  expect(brokenByCpu({ ...plain, ...beyond })).toHaveLength(1)
})

/** Four requests, told apart by their paths. */
const request = (path: string): Candidate => ({
  caller: 'reader',
  method: 'GET',
  path,
  query: [],
  headers: [],
  body: undefined,
  state: 'bare',
  turns: 0,
})
const subject: Subject = {
  name: 'listUsers',
  writes: true,
  corners: [request('0')],
  any: fc.constantFrom('0', '1', '2', '3').map(request),
}

/** What the requests of the subject undo, each for one token. */
const undone = [0, 30, 90, 60]

/** Each request takes a millisecond, so that a search has time for as many, however busy the machine is. */
const meter: Meter = {
  plainPage: async () => 1,
  async measure({ path }) {
    vi.advanceTimersByTime(1)
    const counts = { ...plain.counts, undone: undone[Number(path)] ?? 0 }
    return { ...plain, tokens: 1, path, counts }
  },
}

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterAll(() => {
  vi.useRealTimers()
})

test('A search tells the worst of the requests that break a bound', async () => {
  const options = { seed: 1, seconds: 0.05, withCpu: false }
  const { broken: found } = await search(meter, [subject], options)
  const told = [...found.values()].map(({ measured, fault }) => [measured.path, fault.cost])
  expect(told).toEqual([['2', 90]])
})

test('A search that does not trust CPU has no worst by it', async () => {
  const measuresOf = async (withCpu: boolean) => {
    const { worst } = await search(meter, [subject], { seed: 1, seconds: 0.05, withCpu })
    return [...(worst.get(subject)?.keys() ?? [])]
  }
  expect(await measuresOf(false)).toEqual(['rows', 'bytes', 'refusal', 'undone'])
  expect(await measuresOf(true)).toEqual(['rows', 'bytes', 'refusal', 'undone', 'cpu'])
})

test('A search tries transactions that do each thing to each user and then fail', () => {
  const failing = '{"op":"remove","ref":{"type":"users","id":"nobody"}}'
  const undoing = pairsOfOperations.filter((body) => body.endsWith(`,${failing}]}`))
  const removing = `{"op":"remove","ref":{"type":"users","id":"${named}"}}`
  expect(new Set(undoing).size).toBeGreaterThan(15)
  expect(undoing).toContain(`{"atomic:operations":[${removing},${failing}]}`)
})
