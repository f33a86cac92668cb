import fc from 'fast-check'
import { type Candidate, commandOf, type Subject } from './candidate.ts'
import { climbOf } from './climb.ts'
import { type Meter, tokensOf } from './meter.ts'
import { randomOf, seedOf } from './random.ts'
import type { Service } from './stage.ts'
import { standing, type World } from './world.ts'

/** Writes that leave everything as it was, and what they have cost together. */
export interface Cycle {
  /** The distinct steps as commands, each with the status of its last answer. */
  readonly steps: readonly string[]
  readonly requests: number
  readonly tokens: number
  readonly rowsWritten: number
}

/** A user is created, written again and again, and deleted. The id of the {@link standing} user stands for the one that is made. */
interface Life {
  readonly create: Candidate
  readonly acts: readonly Candidate[]
  readonly repeats: number
}

/**
 * Searches for the sequence of writes that writes most rows per token and ends where it began: a user is made, changed and
 * removed, so that nothing in it was paid for by somebody else.
 */
export async function searchCycles(
  service: Service,
  world: World,
  meter: Meter,
  subjects: readonly Subject[],
  { seed, seconds }: { readonly seed: number; readonly seconds: number },
): Promise<Cycle | undefined> {
  const named = (name: string): Subject | undefined => subjects.find((one) => one.name === name)
  const [create, remove] = [named('createUser'), named('deleteUser')]
  const changes = subjects.filter(
    ({ writes, corners: [{ path }], name }) =>
      writes && path.includes(standing) && name !== 'deleteUser',
  )
  if (!create || !remove || changes.length === 0) {
    return undefined
  }
  const lives = fc.record({
    create: requestsOf(create),
    acts: fc.array(fc.oneof(...changes.map(requestsOf)), { minLength: 1, maxLength: 4 }),
    repeats: fc.oneof(fc.constantFrom(0, 20), fc.nat(20)),
  })
  const plain: Life = { create: create.corners[0], acts: [], repeats: 0 }
  const own = seedOf(seed, 'cycles')
  const climb = climbOf(lives, plain, own, randomOf(own))
  const end = performance.now() + seconds * 1000
  let worst: Cycle | undefined
  do {
    const life = climb.next()
    const cycle = await live(service, world, meter, life, remove.corners[0])
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

/** Requests of a subject, many of them those that are tried before others: they write most. */
function requestsOf({ any, corners }: Subject): fc.Arbitrary<Candidate> {
  return fc
    .oneof(fc.constantFrom(...corners), any)
    .map((candidate) => ({ ...candidate, caller: 'writer' }))
}

async function live(
  service: Service,
  world: World,
  meter: Meter,
  { create, acts, repeats }: Life,
  remove: Candidate,
): Promise<Cycle | undefined> {
  await world.reset('bare')
  const before = await world.size()
  await service.counts()
  const steps = new Map<string, number>()
  let tokens = 0
  let requests = 0
  let id = standing
  const call = async (step: Candidate) => {
    const here = (text: string): string => text.replaceAll(standing, id)
    const { body } = step
    const answer = await meter.send({ ...step, path: here(step.path), body: body && here(body) })
    tokens += (answer && tokensOf(answer)) ?? 0
    requests += 1
    steps.set(commandOf(step, true), answer?.status ?? 0)
    return answer
  }
  const made = await call(create)
  if (made?.status !== 201) {
    return undefined
  }
  id = JSON.parse(made.text).data.id
  for (let round = 0; round <= repeats; round++) {
    for (const act of acts) {
      await call(act)
    }
  }
  await call(remove)
  const { rowsWritten } = await service.counts()
  const told = [...steps].map(([step, status]) => `${status}: ${step}`)
  return (await world.size()) === before
    ? { steps: told, requests, tokens, rowsWritten }
    : undefined
}
