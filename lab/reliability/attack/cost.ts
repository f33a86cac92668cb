import { loadDatabase } from '../../../test/bench/database.ts'
import { useMemoryDisk } from '../../../test/support/memory-disk.ts'
import { readDescription } from '../requests/description.ts'
import { brokenByCpu, type Fault, type Measure } from './bounds.ts'
import { type Callers, callersOf } from './callers.ts'
import { commandOf } from './candidate.ts'
import { settled } from './final.ts'
import { createMeter, type Meter } from './meter.ts'
import { brokenRefusal, refusingLimits, searchRefusals } from './refusals.ts'
import { print, type Report, type Row } from './report.ts'
import { type Finding, type Searched, search } from './search.ts'
import { openStage } from './stage.ts'
import { subjectsOf } from './subjects.ts'
import { buildWorld } from './world.ts'

/** How the search for the worst requests is run. */
export interface CostOptions {
  readonly seed: number
  /** Of searching; what is found is then measured again. */
  readonly seconds: number
  /** The name of the one operation to search; all if absent. */
  readonly only: string | undefined
  /** Is CPU measured and held to its bounds? */
  readonly withCpu: boolean
}

const root = '/jsonapi'

/** Shares of the time that the searches take: for requests, and for remembered refusals. */
const shares = { requests: 0.85, refusals: 0.15 }

/** A bucket that is full again at once, for a caller who must never be refused; its burst is the default. */
const open = { burst: 100, rate: 100_000 }

/** Searches for the requests that cost most per token, and tells them; true if every bound holds. */
export async function attackCost(options: CostOptions): Promise<boolean> {
  useMemoryDisk()
  const stage = await openStage()
  const callers = await callersOf(stage.sign)
  const service = await stage.serve('open', open)
  const world = await buildWorld(service.database, stage.cards)
  const all = subjectsOf(await readDescription(service.origin, root), root, world.countries)
  const { seed, seconds, only, withCpu } = options
  const subjects = all.filter(({ name }) => name === (only ?? name))
  const meter = await createMeter(service, world, callers)
  const during = (share: number) => ({ seed, withCpu, seconds: seconds * share })

  const searched = await search(meter, subjects, during(shares.requests))
  const rows = await settledRows(meter, searched)

  const seal = () => Promise.resolve(null)
  const refusing = {
    service: await stage.serve('refusing', refusingLimits),
    callers,
    sign: stage.sign,
  }
  await loadDatabase(refusing.service.database, { people: 100, seal })
  const priced = subjects.filter(({ name }) => !name.startsWith('without'))
  const remembered = await searchRefusals(refusing, priced, during(shares.refusals))
  await stage.close()

  const faults = [
    ...faultsOf(searched, rows, callers),
    ...remembered.flatMap((one) =>
      brokenRefusal(one).map(
        (fault) =>
          `A remembered refusal of ${one.subject.name} ${fault}: ${commandOf(one.candidate, true)}`,
      ),
    ),
  ]
  const report: Report = {
    seed,
    requests: searched.requests,
    rows,
    remembered,
    faults,
  }
  print(report, callers)
  return faults.length === 0
}

async function settledRows(meter: Meter, { worst }: Searched): Promise<Row[]> {
  const rows: Row[] = []
  for (const [{ name }, most] of worst) {
    const again = new Map<Measure, Finding>()
    for (const [measure, finding] of most) {
      again.set(measure, await settled(meter, finding, measure))
    }
    rows.push({ name, worst: again })
  }
  return rows
}

/** Every bound that is broken, with the worst request that breaks it; CPU only as it was measured in the end. */
function faultsOf({ broken: counted }: Searched, rows: readonly Row[], callers: Callers): string[] {
  const tell = ({ subject, candidate }: Finding, { told }: Fault): string => {
    const hasToken = (callers[candidate.caller] ?? []).length > 0
    return `${subject.name}: ${told}: ${commandOf(candidate, hasToken)}`
  }
  const slowest = rows.flatMap(({ worst }) => worst.get('cpu') ?? [])
  return [
    ...[...counted.values()].map((one) => tell(one, one.fault)),
    ...slowest.flatMap((finding) =>
      brokenByCpu(finding.measured).map((fault) => tell(finding, fault)),
    ),
  ]
}
