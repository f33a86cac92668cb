import { join } from 'node:path'
import type { Contender } from '../contenders.ts'
import { ask } from '../costs.ts'
import { short, spreadOf } from '../figures.ts'
import { table } from '../report.ts'
import { kinds } from '../requests.ts'
import { exactCpuOf } from '../server/process.ts'
import { loadings, textsOf } from './loading.ts'
import { yardstick } from './yardstick.ts'

/** The most that the service may take of what the bundle of commit 1cfc63b takes, side by side in one run. */
const goal = 1.2

/** How often Workers are loaded, and how often they are started for the first request of each kind. */
const rounds = { loading: 40, starting: 24 }

/** What it takes to start a Worker, in milliseconds of CPU: a value for each round. */
interface StartUp {
  readonly name: string
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
  const startUps = Object.keys(files).map((name) => ({
    name,
    loading: loading[name] ?? [],
    requests: requests[name] ?? [],
  }))
  const other = startUps.find(({ name }) => name === 'beside')
  const timesOther = other ? ['times the bundle beside it'] : []
  const reminder = other ? ` The goal is ${goal} times the bundle of commit 1cfc63b.` : ''
  const head = [
    'Bundle',
    ...['Loading, ms', 'in yardsticks', ...timesOther],
    ...['With the first request of each kind, ms', 'in yardsticks', ...timesOther],
  ]
  const rows = startUps.map((startUp) => rowOf(startUp, unit, other))
  return `${table(head, rows)}

The yardstick took ${short(spreadOf(unit).median)} ms in this run.${reminder}`
}

function rowOf(startUp: StartUp, unit: readonly number[], other: StartUp | undefined): string[] {
  const yardstick = spreadOf(unit).median
  const cells = (timeOf: (startUp: StartUp) => number): string[] => {
    const time = timeOf(startUp)
    const times = other ? [`**${(time / timeOf(other)).toFixed(2)}**`] : []
    return [short(time), (time / yardstick).toFixed(2), ...times]
  }
  const loaded = ({ loading }: StartUp): number => spreadOf(loading).median
  return [
    titles[startUp.name] ?? startUp.name,
    ...cells(loaded),
    ...cells((each) => loaded(each) + spreadOf(each.requests).median),
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
