import { join } from 'node:path'
import type { Contender } from '../contenders.ts'
import { ask } from '../costs.ts'
import { ratiosOf, short, spreadOf } from '../figures.ts'
import { table } from '../report.ts'
import { kinds } from '../requests.ts'
import { exactCpuOf } from '../server/process.ts'
import { loadings, textsOf } from './loading.ts'
import { yardstick } from './yardstick.ts'

/**
 * What the bundle of commit 1cfc63b takes, in yardsticks: before the whole of Zod, transactions and much else came in. Measured side
 * by side with this one by `npm run bench -- --startup --beside <its bundle>`: of three runs the median for loading (1.26 to 1.34), and the
 * least with the requests (3.62 to 4.07), which move more, so that the service is not flattered.
 */
const before = { loading: 1.31, withRequests: 3.62 }

/** The most that the bundle may take of what the one before took. */
const goal = 1.2

/** How often Workers are loaded, and how often they are started for the first request of each kind. */
const rounds = { loading: 40, starting: 8 }

/** What it takes to start a Worker, in milliseconds of CPU: a value for each round. */
interface StartUp {
  readonly loading: readonly number[]
  /** The first request of each kind together, after the Worker is loaded. */
  readonly requests: readonly number[]
}

/** What is measured. */
export interface StartUpOptions {
  readonly service: Contender
  readonly floor: Contender
  /** File of another bundle of the service, to measure in turn with this one. */
  readonly beside?: string | undefined
  readonly vars: Readonly<Record<string, string>>
  readonly token: string
  /** An empty folder. */
  readonly folder: string
}

/** What it takes to start the Workers, as a table for docs/performance.md. */
export async function startUpText(options: StartUpOptions): Promise<string> {
  const { service, floor, beside, vars, token, folder } = options
  const files = {
    service: service.bundle?.script ?? '',
    floor: floor.bundle?.script ?? '',
    ...(beside !== undefined && { beside }),
  }
  const texts = { ...(await textsOf(files)), yardstick }
  const loading = await loadings(texts, vars, join(folder, 'loading'), rounds.loading)
  const starts: Record<string, () => Promise<number>> = {
    service: () => firstRequests(service, token),
    floor: () => firstRequests(floor, token),
    ...(beside !== undefined && { beside: () => firstRequests(service, token, beside) }),
  }
  const requests: Record<string, number[]> = {}
  for (let round = 0; round < rounds.starting; round++) {
    for (const [name, start] of Object.entries(starts)) {
      requests[name] = [...(requests[name] ?? []), await start()]
    }
  }
  const unit = loading.yardstick ?? []
  const rows = Object.keys(files).map((name) =>
    rowOf(name, { loading: loading[name] ?? [], requests: requests[name] ?? [] }, unit),
  )
  const head = [
    'Bundle',
    'Loading, ms',
    'in yardsticks',
    'times 1cfc63b',
    'With the first request of each kind, ms',
    'in yardsticks',
    'times 1cfc63b',
  ]
  return `${table(head, rows)}

The yardstick took ${short(spreadOf(unit).median)} ms in this run. The goal of the service is ${goal} times 1cfc63b.`
}

function rowOf(name: string, { loading, requests }: StartUp, unit: readonly number[]): string[] {
  const loaded = spreadOf(loading).median
  const relative = spreadOf(ratiosOf(loading, unit)).median
  const whole = loaded + spreadOf(requests).median
  const wholeRelative = relative + spreadOf(requests).median / spreadOf(unit).median
  return [
    titles[name] ?? name,
    short(loaded),
    relative.toFixed(2),
    `**${(relative / before.loading).toFixed(2)}**`,
    short(whole),
    wholeRelative.toFixed(2),
    `**${(wholeRelative / before.withRequests).toFixed(2)}**`,
  ]
}

const titles: Readonly<Record<string, string>> = {
  service: 'The service',
  floor: 'The floor',
  beside: 'The bundle beside it',
}

/** Milliseconds of CPU of the first request of each kind together, on a server that has just started. */
async function firstRequests(
  contender: Contender,
  token: string,
  script?: string,
): Promise<number> {
  const server = await contender.start(script === undefined ? {} : { script })
  // Without a token the answer needs nothing but the loaded code.
  await (await fetch(server.url)).arrayBuffer()
  const start = await exactCpuOf(server.pid)
  for (const kind of kinds) {
    const { status } = await ask(server.url, kind, token)
    if (status !== kind.status) {
      throw new Error(`(${kind.name}) was answered ${status}, not ${kind.status}`)
    }
  }
  const used = (await exactCpuOf(server.pid)) - start
  await server.stop()
  return used / 1000
}
