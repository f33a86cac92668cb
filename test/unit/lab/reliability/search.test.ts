import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { broken, costBy } from '../../../../lab/reliability/attack/cost/bounds.ts'
import type { Subject } from '../../../../lab/reliability/attack/cost/candidate.ts'
import { climbOf } from '../../../../lab/reliability/attack/cost/climb.ts'
import {
  type Gene,
  type Genome,
  plainGenome,
} from '../../../../lab/reliability/attack/cost/genes.ts'
import type { Measured, Meter } from '../../../../lab/reliability/attack/cost/meter.ts'
import { isUnderpriced, proposedTokens } from '../../../../lab/reliability/attack/cost/proposal.ts'
import { randomOf, seedOf } from '../../../../lab/reliability/attack/cost/random.ts'
import { search } from '../../../../lab/reliability/attack/cost/search.ts'
import {
  expanded,
  listed,
  repeated,
  series,
  shell,
} from '../../../../lab/reliability/attack/cost/text.ts'

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
    objectCalls: 1,
    databaseBytes: 0,
  },
  bytes: 1_000,
  stored: 0,
  pages: 1,
}

test('The costs of a search are counted per token', () => {
  expect(costBy('rows', plain)).toBe(50)
  expect(costBy('bytes', plain)).toBe(500)
  expect(costBy('cpu', plain)).toBe(0.5)
  expect(broken(plain, { withCpu: true })).toEqual([])
})

test.each<[string, Partial<Measured>]>([
  ['rows', { counts: { ...plain.counts, rowsRead: 4_001 } }],
  ['bytes', { bytes: 700_001 }],
  ['bytes of a refusal', { status: 400, tokens: 20, bytes: 65_537 }],
  ['CPU', { pages: 6.1 }],
  [
    'CPU at no price',
    { tokens: undefined, pages: 1.1, counts: { ...plain.counts, roundTrips: 0 } },
  ],
  ['D1 at no price', { tokens: undefined }],
  ['D1 without a token', { status: 401, tokens: 1 }],
  ['a failure', { status: 500 }],
])('A search reports a request that goes beyond a bound: %s', (_, beyond) => {
  expect(broken({ ...plain, ...beyond }, { withCpu: true })).toHaveLength(1)
})

test('A search reports no CPU where it cannot be trusted', () => {
  expect(broken({ ...plain, pages: 100 }, { withCpu: false })).toEqual([])
})

test.each([
  ['/users?include=relatives', 3, 5],
  ['/users?include=relatives.relatives', 7, 21],
  ['/users?include=relatives,relatives.relatives,placeOfBirth', 8, 22],
  ['/users/1?include=relatives', 2, 2],
  ['/users/1?include=relatives.relatives', 4, 6],
  ['/users/1/relationships/relatives?include=relatives.relatives', 4, 6],
  ['/users/1/relatives?include=relatives', 3, 5],
  ['/users/1/placeOfBirth?include=currencies', 2, 2],
  ['/users?page[limit]=100', 5, 5],
  ['/users?page[limit]=100&include=relatives', 15, 25],
  ['/users?include=relatives&page[offset]=2100', 5, 7],
  ['/users/1/relatives?include=relatives&sort=email', 5, 7],
])('The proposed price of %s is known from the contract’s', (path, tokens, proposed) => {
  expect(proposedTokens({ path: `/jsonapi${path}`, tokens })).toBe(proposed)
})

test.each<[string, string, Partial<Measured>, boolean]>([
  ['a list with relatives', '/users?include=relatives', { bytes: 1_580_000 }, true],
  ['more than the proposed price holds', '/users?include=relatives', { bytes: 1_760_000 }, false],
  ['rows', '/users?include=relatives', { counts: { ...plain.counts, rowsRead: 10_001 } }, false],
  ['a page without includes', '/users', { bytes: 1_060_000 }, false],
])('A search tells apart what only a higher price would hold: %s', (_, path, beyond, isApart) => {
  const measured = { ...plain, tokens: 3, path: `/jsonapi${path}`, ...beyond }
  expect(broken(measured, { withCpu: true })).not.toEqual([])
  expect(isUnderpriced(measured, { withCpu: true })).toBe(isApart)
})

test('A search that does not trust CPU tells apart what only a higher price would hold, however long it took', () => {
  const path = '/jsonapi/users?include=relatives'
  const measured = { ...plain, tokens: 3, path, bytes: 1_580_000, pages: 100 }
  expect(isUnderpriced(measured, { withCpu: false })).toBe(true)
  expect(isUnderpriced(measured, { withCpu: true })).toBe(false)
})

test('A request that only a higher price would hold hides no other one that breaks the same bound', async () => {
  const paths = ['/jsonapi/users?include=relatives', '/jsonapi/users']
  const subject: Subject = {
    name: 'listUsers',
    writes: false,
    genes: [{ name: 'which', most: 1 }],
    seeds: [],
    render: ({ which = 0 }) => ({
      caller: 'reader',
      method: 'GET',
      path: [paths[which] ?? ''],
      headers: [],
      state: 'bare',
      turns: 0,
    }),
  }
  const bytes = [1_580_000, 1_100_000]
  const meter: Meter = {
    plainPage: async () => 1,
    async measure({ path }) {
      const which = paths.indexOf(expanded(path))
      return { ...plain, tokens: 3, path: expanded(path), bytes: bytes[which] ?? 0 }
    },
  }
  const { broken: found } = await search(meter, [subject], { seed: 1, seconds: 0.05 })
  const told = [...found.values()].map((one) => [one.measured.path, one.isUnderpriced])
  expect(new Map(told as [string, boolean][])).toEqual(
    new Map([
      ['/jsonapi/users?include=relatives', true],
      ['/jsonapi/users', false],
    ]),
  )
})
