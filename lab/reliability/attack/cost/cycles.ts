import fc, { type Arbitrary } from 'fast-check'
import { type Received, send } from '../../lib/send.ts'
import { mediaType } from '../../requests/description.ts'
import type { Callers } from './callers.ts'
import { climbOf } from './climb.ts'
import { tokensOf } from './meter.ts'
import { randomOf, seedOf } from './random.ts'
import type { Service } from './stage.ts'
import { groups, idOf, type World } from './world.ts'

/** Writes that leave everything as it was, and what they have cost together. */
export interface Cycle {
  /** The steps, in words. */
  readonly steps: readonly string[]
  readonly requests: number
  readonly tokens: number
  readonly rowsWritten: number
  readonly rowsRead: number
}

/** What may be done to a user that is made first and removed last. */
const acts = [
  'add relatives',
  'add other relatives',
  'remove relatives',
  'replace relatives',
  'replace relatives by others',
  'remove all relatives',
  'replace citizenships',
  'remove all citizenships',
  'update the user with relatives',
  'update name and address',
  'update the place of birth',
] as const

/** A sequence: the relatives that the user is created with, and what is then done to it, again and again. */
interface Life {
  readonly createdWith: number
  readonly repeats: number
  readonly acts: readonly { readonly act: (typeof acts)[number]; readonly count: number }[]
}

/** Amounts are mostly at their ends. */
const amount = (most: number): Arbitrary<number> =>
  fc.oneof(fc.constantFrom(0, most), fc.integer({ min: 0, max: most }))

const lives: Arbitrary<Life> = fc.record({
  createdWith: amount(100),
  repeats: amount(20),
  acts: fc.array(fc.record({ act: fc.constantFrom(...acts), count: amount(100) }), {
    minLength: 1,
    maxLength: 4,
  }),
})

const plain: Life = { createdWith: 0, repeats: 0, acts: [] }

/**
 * Searches for the sequence of writes that writes most rows per token and ends where it began: a user is made, changed and
 * removed, so that nothing in it was paid for by somebody else.
 */
export async function searchCycles(
  service: Service,
  world: World,
  callers: Callers,
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): Promise<Cycle | undefined> {
  const own = seedOf(seed, 'cycles')
  const climb = climbOf(lives, plain, own, randomOf(own))
  const end = performance.now() + seconds * 1000
  let worst: Cycle | undefined
  do {
    const life = climb.next()
    const cycle = await live(service, world, callers, life)
    if (cycle) {
      climb.learn(life, rowsPerToken(cycle))
      worst = worst && rowsPerToken(worst) >= rowsPerToken(cycle) ? worst : cycle
    }
  } while (performance.now() < end)
  return worst
}

/** Rows written per token. */
export function rowsPerToken({ rowsWritten, tokens }: Cycle): number {
  return rowsWritten / tokens
}

async function live(
  service: Service,
  world: World,
  callers: Callers,
  { createdWith, repeats, acts }: Life,
): Promise<Cycle | undefined> {
  await world.reset('bare')
  const before = await world.size()
  await service.counts()
  let tokens = 0
  let requests = 0
  const steps: string[] = []
  const call = async (
    step: string,
    method: string,
    path: string,
    data?: unknown,
  ): Promise<Received> => {
    const body = data === undefined ? undefined : JSON.stringify({ data })
    const answer = await send(
      service.origin,
      {
        method,
        path: `/jsonapi/users${path}`,
        headers: [
          ['Accept', mediaType],
          ['Authorization', callers.writer?.[0] ?? ''],
          ...(body === undefined ? [] : [['Content-Type', mediaType] as const]),
        ],
        ...(body !== undefined && { body }),
      },
      { alone: body !== undefined },
    )
    tokens += tokensOf(answer) ?? 0
    requests += 1
    steps.push(`${step} (${answer.status})`)
    return answer
  }
  const made = await call(`create with ${createdWith} relatives`, 'POST', '', {
    type: 'users',
    attributes: attributes('made'),
    relationships: { relatives: { data: relatives(0, createdWith) } },
  })
  if (made.status !== 201) {
    return undefined
  }
  const { id } = JSON.parse(made.text).data
  for (let round = 0; round <= repeats; round++) {
    for (const { act, count } of acts) {
      await call(`${act} (${count})`, ...requestOf(act, id, count, round, world))
    }
  }
  await call('delete', 'DELETE', `/${id}`)
  const { rowsWritten, rowsRead } = await service.counts()
  return (await world.size()) === before
    ? { steps: [...new Set(steps)], requests, tokens, rowsWritten, rowsRead }
    : undefined
}

type Request = [method: string, path: string, data?: unknown]

function requestOf(
  act: (typeof acts)[number],
  id: string,
  count: number,
  round: number,
  { countries }: World,
): Request {
  const path = `/${id}/relationships`
  switch (act) {
    case 'add relatives':
      // Further ones each time.
      return ['POST', `${path}/relatives`, relatives((round * 100) % 1_000, count)]
    case 'add other relatives':
      return ['POST', `${path}/relatives`, relatives(1_000, count)]
    case 'remove relatives':
      return ['DELETE', `${path}/relatives`, relatives((round * 100) % 1_000, count)]
    case 'replace relatives':
      return ['PATCH', `${path}/relatives`, relatives(0, count)]
    case 'replace relatives by others':
      return ['PATCH', `${path}/relatives`, relatives(1_000, count)]
    case 'remove all relatives':
      return ['PATCH', `${path}/relatives`, []]
    case 'replace citizenships':
      return [
        'PATCH',
        `${path}/citizenships`,
        countries.slice(0, Math.min(count, 20)).map((code) => ({ type: 'countries', id: code })),
      ]
    case 'remove all citizenships':
      return ['PATCH', `${path}/citizenships`, []]
    case 'update the user with relatives':
      return [
        'PATCH',
        `/${id}`,
        {
          type: 'users',
          id,
          relationships: { relatives: { data: relatives(round * 7, Math.min(20, count)) } },
        },
      ]
    case 'update name and address':
      return ['PATCH', `/${id}`, { type: 'users', id, attributes: attributes(`changed ${round}`) }]
    case 'update the place of birth':
      return [
        'PATCH',
        `${path}/placeOfBirth`,
        { type: 'countries', id: round % 2 === 0 ? 'SE' : 'DK' },
      ]
  }
}

function relatives(from: number, count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'users',
    id: idOf(groups.pool.from + ((from + index) % groups.pool.count)),
    meta: { relationshipType: 'SON' },
  }))
}

function attributes(name: string): object {
  return { fullName: `Cycle ${name}`, email: `cycle-${name.replaceAll(' ', '-')}@example.com` }
}
