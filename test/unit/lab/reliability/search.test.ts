import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { broken, brokenByCpu, costBy } from '../../../../lab/reliability/attack/cost/bounds.ts'
import type { Subject } from '../../../../lab/reliability/attack/cost/candidate.ts'
import { climbOf } from '../../../../lab/reliability/attack/cost/climb.ts'
import {
  type Gene,
  type Genome,
  plainGenome,
} from '../../../../lab/reliability/attack/cost/genes.ts'
import type { Measured, Meter } from '../../../../lab/reliability/attack/cost/meter.ts'
import {
  operationsBody,
  pairsOfOperations,
} from '../../../../lab/reliability/attack/cost/operations-body.ts'
import { randomOf, seedOf } from '../../../../lab/reliability/attack/cost/random.ts'
import { search } from '../../../../lab/reliability/attack/cost/search.ts'
import {
  expanded,
  listed,
  repeated,
  series,
  shell,
} from '../../../../lab/reliability/attack/cost/text.ts'
import { named } from '../../../../lab/reliability/attack/cost/world.ts'

const genes: readonly Gene[] = [
  { name: 'list mode', most: 9 },
  { name: 'list count', most: 16_000 },
  { name: 'size', most: 100 },
]

/** Costs much only where three things come together, as the worst requests do. */
const cost = (genome: Genome): number =>
  (genome['list mode'] === 7 ? 1_000 + (genome['list count'] ?? 0) : 0) + (genome.size ?? 0)

/** The genomes that a climb tries, in their order. */
function climbed(seed: number, steps: number): Genome[] {
  const climb = climbOf(genes, plainGenome(genes), randomOf(seedOf(seed, 'x')))
  return Array.from({ length: steps }, () => {
    const genome = climb.next()
    climb.learn(genome, cost(genome))
    return genome
  })
}

test('A climb finds the most that all genes together can cost', () => {
  expect(Math.max(...climbed(1, 2_000).map(cost))).toBe(17_100)
})

test('A climb of the same seed tries the same requests, and one of another seed tries others', () => {
  expect(climbed(3, 200)).toEqual(climbed(3, 200))
  expect(climbed(4, 200)).not.toEqual(climbed(3, 200))
})

test('No gene of a climb leaves its bounds', () => {
  for (const genome of climbed(5, 1_000)) {
    for (const { name, most } of genes) {
      expect(genome[name]).toBeGreaterThanOrEqual(0)
      expect(genome[name]).toBeLessThanOrEqual(most)
    }
  }
})

test('A shell writes the same text that is sent', () => {
  const text = [
    'a\'b"c ',
    ...repeated('%2C\\,', 3),
    ...listed('"x%d":1', 4),
    '',
    ...series('id-%012d ', 2, 99),
    ...listed('one%d', 1),
  ]
  const said = execFileSync('bash', ['-c', `printf %s ${shell(text)}`], { encoding: 'utf8' })
  expect(said).toBe(expanded(text))
  expect(expanded(text)).toBe(
    'a\'b"c %2C\\,%2C\\,%2C\\,"x1":1,"x2":1,"x3":1,"x4":1id-000000000099 id-000000000100 one1',
  )
})

const plain: Measured = {
  status: 200,
  path: '/jsonapi/users',
  tokens: 2,
  counts: {
    roundTrips: 1,
    statements: 1,
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

/** Users that have a request of their own, by its path. */
const subject: Subject = {
  name: 'listUsers',
  writes: true,
  genes: [{ name: 'which', most: 3 }],
  seeds: [],
  render: ({ which = 0 }) => ({
    caller: 'reader',
    method: 'GET',
    path: [String(which)],
    headers: [],
    state: 'bare',
    turns: 0,
  }),
}

/** What the requests of the subject undo, each for one token. */
const undone = [0, 30, 90, 60]

const meter: Meter = {
  plainPage: async () => 1,
  async measure({ path }) {
    const counts = { ...plain.counts, undone: undone[Number(expanded(path))] ?? 0 }
    return { ...plain, tokens: 1, path: expanded(path), counts }
  },
}

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
  const bodies = pairsOfOperations.map((genome) => expanded(operationsBody(genome)))
  const undoing = bodies.filter((body) => body.endsWith(`,${failing}]}`))
  const removing = `{"op":"remove","ref":{"type":"users","id":"${named}"}}`
  expect(new Set(undoing).size).toBeGreaterThan(15)
  expect(undoing).toContain(`{"atomic:operations":[${removing},${failing}]}`)
})
