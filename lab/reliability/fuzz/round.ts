import fc from 'fast-check'
import { cpuOf } from '../../../test/bench/serve.ts'
import { curlOf } from '../lib/curl.ts'
import { runtimePids } from '../lib/process.ts'
import { startService } from '../lib/service.ts'
import { type Operation, readDescription } from '../requests/description.ts'
import { draftOf } from '../requests/drafts.ts'
import { type Actor, attemptOf, learn } from './attempt.ts'
import { answerFaults } from './checks.ts'
import { denseProperty } from './dense.ts'
import { lifeProperty } from './life.ts'
import { createWatch, mostCpu, type Watch } from './watch.ts'
import { createWorld, type World } from './world.ts'

/** What a round has seen. */
export interface Round {
  readonly cases: number
  /** What is wrong, how to see it again, and the request as a curl line. */
  readonly findings: readonly string[]
  readonly statuses: ReadonlyMap<number, number>
}

/** The same seed makes the same requests. */
export interface RoundOptions {
  readonly seed: number
  readonly cases: number
  /** The id of the one operation to fuzz; all of them, and lives, if absent. */
  readonly only: string | undefined
}

/** Properties that are tried at once. */
const lanes = 8

/** Requests that are spent on making a failing one smaller. */
const mostShrinks = 150

const root = '/jsonapi'

/** Starts a service, fuzzes it and stops it. */
export async function fuzzRound({ seed, cases, only }: RoundOptions): Promise<Round> {
  const service = await startService({ limit: { burst: 2e9, rate: 2e9 }, people: 60 })
  const described = await readDescription(service.origin, root)
  const world = await createWorld(service.origin, root, service.sign, described)
  const pids = runtimePids()
  const watch = createWatch(async () => {
    const times = await Promise.all(pids.map(cpuOf))
    return times.reduce((sum, time) => sum + time, 0) / 1000
  })
  const findings: string[] = []
  const statuses = new Map<number, number>()
  let ran = 0

  async function check<Value>(
    name: string,
    property: fc.IAsyncProperty<Value>,
    numRuns: number,
  ): Promise<void> {
    const found = await fc.check(shrinkingLittle(property), { seed, numRuns })
    ran += found.numRuns
    if (found.failed) {
      const replay = `--seed ${seed} --cases ${cases}${name.includes('.') ? ` --operation ${name}` : ''}`
      findings.push(`${name} (${replay}): ${messageOf(found.errorInstance)}`)
    }
  }

  const jobs = plan({ world, watch, statuses }, described, cases, only).values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const { name, property, numRuns } of jobs) {
        await check(name, property, numRuns)
      }
    }),
  )
  await service.close()
  return { cases: ran, findings, statuses }
}

interface Job {
  readonly name: string
  readonly property: fc.IAsyncProperty<never>
  readonly numRuns: number
}

/** Single requests, and lives of some thirty requests each. */
function plan(
  trial: Trial,
  described: readonly Operation[],
  cases: number,
  only: string | undefined,
): Job[] {
  const { world } = trial
  const operations = described.filter(({ id }) => id === (only ?? id))
  const numRuns = Math.ceil(cases / operations.length)
  const single = operations.map((operation) => ({
    name: operation.id,
    property: requests(trial, operation) as unknown as Job['property'],
    numRuns,
  }))
  const lives = [lifeProperty(world), denseProperty(world)].map((property) => ({
    name: 'sequence',
    property,
    numRuns: Math.ceil(cases / 200),
  }))
  return only === undefined ? [...lives, ...single] : single
}

/** What requests are made to, and what looks on. */
interface Trial {
  readonly world: World
  readonly watch: Watch
  /** Answers by status. */
  readonly statuses: Map<number, number>
}

function requests(
  { world, watch, statuses }: Trial,
  operation: Operation,
): fc.IAsyncProperty<unknown> {
  const actor: Actor = { sub: `fuzz-${operation.id}`, own: undefined }
  return fc.asyncProperty(draftOf(operation, world), async (draft) => {
    const attempt = await attemptOf(world, operation, actor, draft)
    try {
      const { answer, tooMuch } = await watch.send(() => world.send(attempt.sent))
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      learn(actor, attempt, answer)
      const faults = answerFaults(world, attempt, answer)
      if (tooMuch !== undefined) {
        faults.push(`${tooMuch.toFixed(0)} ms of CPU, by itself; at most ${mostCpu} are right`)
      }
      if (faults.length > 0) {
        throw new Error(`${faults.join('\n')}\n${answer.text.slice(0, 600)}`)
      }
    } catch (error) {
      throw new Error(
        `${messageOf(error)}\n${curlOf(attempt.sent, world.origin, `$TOKEN: ${attempt.credential.name}`)}`,
      )
    }
  }) as unknown as fc.IAsyncProperty<unknown>
}

/** The property. It holds of everything once enough smaller failing cases were tried, so that shrinking ends. */
function shrinkingLittle<Value>(property: fc.IAsyncProperty<Value>): fc.IAsyncProperty<Value> {
  const run = property.run.bind(property)
  let tries = 0
  property.run = async (value: Value) => {
    if (tries > 0) {
      tries += 1
    }
    if (tries > mostShrinks) {
      return null
    }
    const failure = await run(value)
    if (failure && tries === 0) {
      tries = 1
    }
    return failure
  }
  return property
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
