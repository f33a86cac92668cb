import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../../src/config.ts'
import { wholeDeadlines } from '../../../src/db/connection.ts'
import { bodyMs } from '../../../src/http/bounds.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { currentDeployment, versionOnOther, withTraffic } from '../../deploy/live.ts'
import { complaint } from '../../lib/complaint.ts'
import type { Engine } from '../../lib/config.ts'
import type { Wrangler } from '../../lib/wrangler.ts'

/** Variables of a Worker, by name. */
type Vars = Readonly<Record<string, string>>

/** Milliseconds that a new deployment may take to reach every place of Cloudflare's network. No bound is promised; it takes seconds. */
const spreadMs = 60_000

/**
 * Milliseconds after which no write is under way any more that began before READ_ONLY: its body has arrived, the limiter has answered,
 * and all calls of the database with their repetitions have met their deadlines (contract, section 14).
 *
 * @param vars the variables of the Worker
 */
export function longestWrite(vars: Vars): number {
  const { databaseDeadlineMs } = readConfig({ ...vars, CARD_KEYS: 'a secret' })
  return bodyMs + rateLimitFrom(vars).deadlineMs + wholeDeadlines * databaseDeadlineMs
}

/** The Workers that use a database, as far as it matters here. */
export interface Users {
  /**
   * Sees that none of them takes writes, and none may have since it was asked last. Throws a complaint where one does, and where nobody
   * can tell.
   */
  demandReadOnly(): Promise<void>
  /** Milliseconds from when they take none until the last write has ended. Known once they were asked. */
  settleMs(): number
}

/** One service that is asked itself, by the report on its health. @param vars its variables */
export function serviceAt(address: string, vars: Vars): Users {
  return {
    async demandReadOnly() {
      const report = await fetch(new URL('/health', address))
        .then((response) => response.json() as Promise<{ readonly readOnly?: boolean }>)
        .catch((error) => {
          throw complaint(`${address}/health tells nothing: ${error.message}.`, error)
        })
      if (report.readOnly !== true) {
        throw complaint(
          `The service at ${address} takes writes: set READ_ONLY to "true" there, and begin again.`,
        )
      }
    },
    settleMs: () => longestWrite(vars),
  }
}

/**
 * All versions of a Worker at Cloudflare that have traffic. A version on another database than the source is refused, too: what is
 * moved then would be older than what it would replace.
 *
 * @param where arguments of wrangler that tell which Worker
 */
export function deploymentOf(wrangler: Wrangler, where: readonly string[], source: Engine): Users {
  let longest = Number.POSITIVE_INFINITY
  let seen: string | undefined
  return {
    async demandReadOnly() {
      const current = await currentDeployment(wrangler, where)
      if (current?.id !== (seen ?? current?.id)) {
        throw complaint(
          'There was a deployment or a roll-back meanwhile, by which writes may have been taken: begin again.',
        )
      }
      seen = current?.id
      const all = withTraffic(current)
      const other = versionOnOther(current, source)
      if (other) {
        throw complaint(
          `The version ${other.id} has traffic and uses ${other.engine ?? 'no database'}, not ${source}: what would be copied is not what callers see. Is --to the wrong way round?`,
        )
      }
      const writing = all.filter(({ vars }) => vars.READ_ONLY !== 'true')
      if (writing.length > 0 || all.length === 0) {
        const named = writing.map(({ id, percentage }) => `${id} (${percentage} %)`)
        throw complaint(
          `Not all traffic is on a version with READ_ONLY: ${named.join(', ') || 'none has traffic'}. Set READ_ONLY to "true", deploy, and begin again.`,
        )
      }
      longest = Math.max(...all.map(({ vars }) => longestWrite(vars)))
    },
    settleMs: () => spreadMs + longest,
  }
}

/** Sees that nobody writes, and waits until the last write has ended. */
export async function quiet(
  users: Users,
  print: (line: string) => void,
  wait: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<void> {
  await users.demandReadOnly()
  const milliseconds = users.settleMs()
  print(
    `No write is taken. Waiting ${Math.ceil(milliseconds / 1_000)} s for those that were under way`,
  )
  await wait(milliseconds)
}
