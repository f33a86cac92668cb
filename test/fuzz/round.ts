import fc from 'fast-check'
import { complaint } from '../../scripts/lib/complaint.ts'
import { type Actor, attemptOf, learn } from './attempt.ts'
import { answerFaults } from './checks.ts'
import { type Operation, operationsOf } from './description.ts'
import { draftOf } from './drafts.ts'
import { startService } from './service.ts'
import { createWorld, type World } from './world.ts'

/** The same seed makes the same requests. */
export interface RoundOptions {
  readonly seed: number
  readonly cases: number
  /** The id of the one operation to fuzz; all of them if absent. */
  readonly only: string | undefined
}

/** Properties that are tried at once. */
const lanes = 8

/** Milliseconds that are spent on making a failing request smaller. */
const mostShrinking = 20_000

const root = '/jsonapi'

/** Starts a service, fuzzes it and stops it. A finding says what is wrong, how to see it again, and the request. */
export async function fuzzRound({ seed, cases, only }: RoundOptions) {
  const service = await startService(60)
  const described = await operationsOf(service.origin, root)
  const world = await createWorld(service.origin, root, service.sign, described)
  const operations = described.filter(({ operationId: id }) => id === (only ?? id))
  if (operations.length === 0) {
    await service.close()
    const ids = described.map(({ operationId }) => operationId).join(', ')
    throw complaint(`--operation must be one of ${ids}, not "${only}".`)
  }
  const findings: string[] = []
  const statuses = new Map<number, number>()
  let ran = 0

  async function check(operation: Operation): Promise<void> {
    const numRuns = Math.ceil(cases / operations.length)
    const found = await fc.check(requests(world, operation, statuses), { seed, numRuns })
    ran += found.numRuns
    if (found.failed) {
      const all = only === undefined ? '' : ` --operation ${only}`
      findings.push(
        `${operation.operationId} (--seed ${seed} --cases ${cases}${all}): ${found.errorInstance}`,
      )
    }
  }

  const left = operations.values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const operation of left) {
        await check(operation)
      }
    }),
  )
  await service.close()
  return { cases: ran, findings, statuses }
}

/** Single requests to an operation. */
function requests(
  world: World,
  operation: Operation,
  statuses: Map<number, number>,
): fc.IAsyncProperty<unknown> {
  const actor: Actor = { sub: `fuzz-${operation.operationId}`, own: undefined }
  let failedAt: number | undefined
  const property = fc.asyncProperty(draftOf(operation, world), async (draft) => {
    // It holds of everything once enough smaller failing requests were tried, so that shrinking ends.
    if (failedAt !== undefined && performance.now() - failedAt > mostShrinking) {
      return
    }
    const attempt = await attemptOf(world, operation, actor, draft)
    const { sent, twist, credential } = attempt
    const answer = await world.send(sent)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    learn(actor, attempt, answer)
    const faults = answerFaults(world, attempt, answer)
    if (faults.length > 0) {
      failedAt ??= performance.now()
      const body = sent.body === undefined ? undefined : Buffer.from(sent.body).toString('latin1')
      const shown = JSON.stringify({ ...sent, body, twist, by: credential.name })
      throw new Error(`${faults.join('\n')}\n${answer.text.slice(0, 600)}\n${shown}`)
    }
  })
  return property as unknown as fc.IAsyncProperty<unknown>
}
