import { join } from 'node:path'
import { type Cards, cardsUnder } from '../../../scripts/lib/cards.ts'
import { createCardKeys, varsFor } from '../../../test/bench/contenders.ts'
import type { Database } from '../../../test/bench/database.ts'
import { type Sign, startIssuer } from '../../../test/bench/issuer.ts'
import { scratchFolder } from '../../../test/bench/scratch.ts'
import { buildWorker, cpuOf, serveWorker } from '../../../test/bench/serve.ts'
import { send } from '../../../test/fuzz/send.ts'
import { runtimePids } from '../lib/process.ts'
import { backDoorMethod, type Cost } from './back-door.ts'
import { databaseBehind } from './database.ts'

/** What all services of a run share: the built Worker, the issuer of its tokens, the keys of its cards. */
export interface Stage {
  readonly sign: Sign
  readonly cards: Cards
  /** Serves the Worker on a workerd of its own, with a database of its own that is empty. */
  readonly serve: (name: string, limits: Limits) => Promise<Service>
  readonly close: () => Promise<void>
}

/** The numbers of the limiter. Its prices are the defaults. */
interface Limits {
  readonly burst: number
  readonly rate: number
}

/** A Worker that is served alone: CPU and counts are of nothing but its requests. */
export interface Service {
  readonly origin: string
  readonly database: Database
  /** Microseconds of CPU that workerd has used: the Worker, the limiter's objects and the local D1. */
  readonly cpu: () => Promise<number>
  /** What D1 and the limiter have done since this was last called. */
  readonly counts: () => Promise<Cost>
}

const root = join(import.meta.dirname, '..', '..', '..')

/** Builds the Worker behind its tap, and starts the issuer. */
export async function openStage(): Promise<Stage> {
  const folder = scratchFolder()
  const issuer = await startIssuer()
  const config = join(import.meta.dirname, 'wrangler.toml')
  const { script } = await buildWorker(join(folder, 'build'), undefined, config)
  const cardKeys = createCardKeys()
  const closing: (() => Promise<void>)[] = []
  return {
    sign: issuer.sign,
    cards: cardsUnder(cardKeys),
    async serve(name, { burst, rate }) {
      const before = runtimePids()
      const worker = await serveWorker({
        script,
        storage: join(folder, name),
        assets: join(root, 'public'),
        vars: {
          ...varsFor(issuer, cardKeys),
          RATE_LIMIT_BURST_CAPACITY: String(burst),
          RATE_LIMIT_REPLENISH_RATE: String(rate),
        },
      })
      closing.push(worker.close)
      const [pid = 0] = runtimePids().filter((candidate) => !before.includes(candidate))
      const { origin } = worker.url
      return {
        origin,
        database: databaseBehind(origin),
        cpu: () => cpuOf(pid),
        async counts() {
          const { text } = await send(origin, { method: backDoorMethod, path: '/', headers: [] })
          return JSON.parse(text)
        },
      }
    },
    async close() {
      await Promise.all(closing.map((close) => close()))
      issuer.close()
    },
  }
}
