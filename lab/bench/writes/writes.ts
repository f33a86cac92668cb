import { prepareWorkers } from '../contenders.ts'
import { ratiosOf, short, spreadOf } from '../figures.ts'
import { allScopes, startIssuer } from '../issuer.ts'
import { machine } from '../machine.ts'
import { table, writeFigures } from '../report.ts'
import { people } from '../requests.ts'
import { scratchFolder } from '../scratch.ts'
import { exactCpuOf, type Server } from '../server/process.ts'
import { pairs, type Send, type WriteCost, type WriteKind } from './kinds.ts'

// Measures what conditions, keys and transactions cost beside writes without them: what D1 counts for one of each, and CPU in
// rounds that take turns, so that a disturbance of the machine meets both.

/** Rounds that are measured; one more comes before them, in which compilers are at work. */
const rounds = 7

/** Persons who write at the same time. */
const writers = 8

const mediaType = 'application/vnd.api+json'
const issuer = await startIssuer()
const [service] = await prepareWorkers(scratchFolder(), issuer, people)
let persons = 0
try {
  const rows: string[][] = []
  const costs = await served(true, ({ url }) => costsOf(url))
  const cpu = await served(false, cpuOf)
  for (const pair of pairs) {
    const [plain, other] = pair
    rows.push(row(plain), row(other, spreadOf(ratiosOf(cpuIn(other), cpuIn(plain)))))
  }
  const head = [
    'Write',
    'D1 round trips',
    'Statements',
    'Rows read',
    'Rows written',
    'CPU µs',
    'Ratio',
  ]
  const text = table(head, rows)
  console.log(text)
  await writeFigures(
    'writes',
    `Measured on ${machine()}. ${rounds} rounds in turn; medians, and in brackets the least and the greatest ratio of all rounds; ${writers} persons write at a time.\n\n${text}`,
  )

  function cpuIn(kind: WriteKind): readonly number[] {
    return cpu.get(kind) ?? []
  }

  function row(kind: WriteKind, ratio?: ReturnType<typeof spreadOf>): string[] {
    const cost = costs.get(kind)
    const told = ratio
      ? `**${ratio.median.toFixed(2)}** (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`
      : ''
    const counts = [cost?.roundTrips, cost?.statements, cost?.rowsRead, cost?.rowsWritten]
    return [kind.title, ...counts.map(String), short(spreadOf(cpuIn(kind)).median), told]
  }
} finally {
  issuer.close()
}

/** What D1 counts for one unit of each kind, by a person who has done nothing else yet, once all is warm. */
async function costsOf(url: URL): Promise<ReadonlyMap<WriteKind, WriteCost>> {
  const costs = new Map<WriteKind, WriteCost>()
  for (const kind of pairs.flat()) {
    await (await kind.start(await newWriter(url)))(0)
    const unit = await kind.start(await newWriter(url))
    costs.set(kind, sum(await unit(1)))
  }
  return costs
}

/** Microseconds of CPU of the serving process for one unit of each kind, in each round. */
async function cpuOf({ url, pid }: Server): Promise<ReadonlyMap<WriteKind, readonly number[]>> {
  const kinds = pairs.flat()
  const all = new Map<WriteKind, number[]>(kinds.map((kind) => [kind, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const kind of kinds) {
      const start = async () => kind.start(await newWriter(url))
      const those = await Promise.all(Array.from({ length: writers }, start))
      const before = await exactCpuOf(pid)
      await Promise.all(
        those.map(async (unit) => {
          for (let nth = 0; nth < kind.units; nth++) {
            await unit(nth)
          }
        }),
      )
      const used = (await exactCpuOf(pid)) - before
      if (round > 0) {
        all.get(kind)?.push(used / (kind.units * writers))
      }
    }
  }
  return all
}

/**
 * Sends writes as a person who is new, and whose token is known to the isolate before anything is measured.
 *
 * @throws Error when a write is refused
 */
async function newWriter(url: URL): Promise<Send> {
  persons += 1
  const token = await issuer.sign({ sub: `writer-${persons}`, scope: allScopes })
  const authorization = { Authorization: `Bearer ${token}`, Accept: mediaType }
  await (await fetch(new URL('/jsonapi/countries/NO', url), { headers: authorization })).text()
  return async (method, path, body, headers) => {
    const response = await fetch(new URL(`/jsonapi${path}`, url), {
      method,
      headers: { ...authorization, 'Content-Type': mediaType, ...headers },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) {
      throw new Error(`${method} ${path} answers ${response.status}: ${text.slice(0, 500)}`)
    }
    const tag = response.headers.get('ETag') ?? ''
    const made = response.headers.get('Location')?.replace('/jsonapi', '') ?? ''
    return { path: made, tag, cost: JSON.parse(response.headers.get('X-Bench-Cost') ?? '{}') }
  }
}

function sum(costs: readonly WriteCost[]): WriteCost {
  const of = (member: keyof WriteCost): number =>
    costs.reduce((total, cost) => total + cost[member], 0)
  return {
    roundTrips: of('roundTrips'),
    statements: of('statements'),
    rowsRead: of('rowsRead'),
    rowsWritten: of('rowsWritten'),
  }
}

/** Starts the service, does something, and stops it. */
async function served<Result>(
  tapped: boolean,
  work: (server: Server) => Promise<Result>,
): Promise<Result> {
  const server = await service.start({ tapped })
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}
