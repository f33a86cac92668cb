import { loadDatabase } from '../../../bench/data/database.ts'
import { readDescription } from '../../fuzz/description.ts'
import { useMemoryDisk } from '../../lib/memory-disk.ts'
import { bounds, broken, type Measure } from './bounds.ts'
import { type Callers, callersOf } from './callers.ts'
import { curlOf } from './candidate.ts'
import { rowsPerToken, searchCycles } from './cycles.ts'
import { settled } from './final.ts'
import { createMeter, type Meter } from './meter.ts'
import { isUnderpriced } from './proposal.ts'
import { brokenRefusal, mostBeyond, type Remembered, searchRefusals, volley } from './refusals.ts'
import { print, type Report, type Row, write } from './report.ts'
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
  /** Is CPU held to its bounds? Where the machine is shared it is told only. */
  readonly withCpu: boolean
  /** Is the table put into the documentation? */
  readonly isWritten: boolean
  /** Reads of the one caller that is refused. */
  readonly reads: number
}

const root = '/jsonapi'

/** Shares of the time that the searches take: for requests, for sequences of writes, for remembered refusals. */
const shares = { requests: 0.75, cycles: 0.1, refusals: 0.15 }

/** A bucket that is full again at once, for a caller who must never be refused; its burst is the default. */
const open = { burst: 100, rate: 100_000 }

/** A bucket that stays empty for long, so that refusals are remembered. */
const slow = { burst: 10, rate: 1 }

/** Searches for the requests that cost most per token, and tells them; true if every bound holds. */
export async function attackCost(options: CostOptions): Promise<boolean> {
  useMemoryDisk()
  const stage = await openStage()
  const callers = await callersOf(stage.sign)
  const service = await stage.serve('open', open)
  const world = await buildWorld(service.database, stage.cipher)
  const all = subjectsOf(await readDescription(service.origin, root), root)
  const { seed, seconds, only } = options
  const subjects = all.filter(({ name }) => name === (only ?? name))
  const meter = await createMeter(service, world, callers)
  const for_ = (share: number) => ({ seed, seconds: seconds * share })

  const searched = await search(meter, subjects, for_(shares.requests))
  const rows = await settledRows(meter, searched)
  const cycle = await searchCycles(service, world, callers, for_(shares.cycles))

  const seal = () => Promise.resolve(null)
  const normal = await stage.serve('normal', { burst: 100, rate: 50 })
  await loadDatabase(normal.database, { people: 100, seal })
  const volleyed = await volley(normal, callers, options.reads)
  const refusing = await stage.serve('slow', slow)
  await loadDatabase(refusing.database, { people: 100, seal })
  const priced = subjects.filter(({ name }) => !name.startsWith('without'))
  const empty = await stage.serveEmpty()
  const remembered = await searchRefusals(
    { service: refusing, empty, callers, meter },
    priced,
    for_(shares.refusals),
  )
  await stage.close()

  const told = faultsOf(searched, rows, callers, options.withCpu)
  const faults = [
    ...told.filter((one) => !one.isUnderpriced).map(({ fault }) => fault),
    ...(cycle && rowsPerToken(cycle) > bounds.written
      ? [
          `Writes that end where they began: ${rowsPerToken(cycle)} rows written per token, at most ${bounds.written} are allowed`,
        ]
      : []),
    ...(volleyed.beyond > mostBeyond
      ? [`Refused reads: ${volleyed.beyond} statements, at most ${mostBeyond} are allowed`]
      : []),
    ...remembered.flatMap((one) =>
      brokenRefusal(one, options.withCpu).map(
        (fault) =>
          `A remembered refusal of ${one.subject.name} ${fault}: ${curlOf(one.candidate, true)}`,
      ),
    ),
  ]
  const report: Report = {
    seed,
    requests: searched.requests,
    rows,
    cycle,
    volley: volleyed,
    remembered: summary(remembered),
    underpriced: told.filter((one) => one.isUnderpriced).map(({ fault }) => fault),
    faults,
  }
  print(report, callers)
  if (options.isWritten) {
    await write(report, callers)
  }
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

/** A bound that is broken, in words. */
interface Fault {
  readonly fault: string
  readonly isUnderpriced: boolean
}

/** Every bound that is broken, with the worst request that breaks it; CPU only as it was measured in the end. */
function faultsOf(
  { broken: counted }: Searched,
  rows: readonly Row[],
  callers: Callers,
  withCpu: boolean,
): Fault[] {
  const tell = ({ subject, candidate }: Finding, fault: string, isApart: boolean): Fault => {
    const hasToken = (callers[candidate.caller] ?? []).length > 0
    return {
      fault: `${subject.name}: ${fault}: ${curlOf(candidate, hasToken)}`,
      isUnderpriced: isApart,
    }
  }
  const slowest = rows.flatMap(({ worst }) => worst.get('cpu') ?? [])
  return [
    ...[...counted.values()].map((one) => tell(one, one.fault, one.isUnderpriced)),
    ...(withCpu
      ? slowest.flatMap((finding) =>
          broken(finding.measured, { withCpu })
            .filter((fault) => fault.includes('CPU'))
            .map((fault) => tell(finding, fault, isUnderpriced(finding.measured, { withCpu }))),
        )
      : []),
  ]
}

function summary(remembered: readonly Remembered[]): Report['remembered'] {
  const [worst] = [...remembered].sort((a, b) => b.pages - a.pages)
  return {
    count: remembered.length,
    pages: worst?.pages ?? 0,
    curl: worst ? curlOf(worst.candidate, true) : '',
  }
}
