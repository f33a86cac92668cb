import { type Contender, prepareWorkers } from '../contenders.ts'
import { heapOf } from '../heap.ts'
import { startIssuer } from '../issuer.ts'
import { fire, quantile, type Volley } from '../load.ts'
import { machine } from '../machine.ts'
import { distances, stallEvery, type Ways } from '../network/ways.ts'
import { table, writeFigures } from '../report.ts'
import { asker, people, scopes, shotOf } from '../requests.ts'
import { scratchFolder } from '../scratch.ts'

// Measures what a database that stalls does to requests that do not need it, and what a thousand requests that hang keep
// in memory.

const get = { method: 'GET', status: 200 } as const

/** The requests that are sent side by side, and how many at a time. The last one alone needs the database. */
const callers = [
  { title: 'Countries', kind: { ...get, path: '/countries' }, count: 800, connections: 4 },
  { title: 'Currencies', kind: { ...get, path: '/currencies' }, count: 800, connections: 4 },
  { title: 'Users, page of 20', kind: { ...get, path: '/users' }, count: 1_200, connections: 8 },
] as const

const rounds = 3

/** Requests that hang at once, and how often. */
const hanging = { requests: 1_000, times: 3 }

/** A port that is nearly always free, since the system cannot choose the inspector's port. */
const inspectorPort = 19_231

const issuer = await startIssuer()
const token = await issuer.token(asker.owner, scopes)
const [service] = await prepareWorkers(scratchFolder(), issuer, people)
const ways = distances[1]?.ways as Ways
try {
  console.log(`Measured on ${machine()}.`)
  const latencies = await latencyTable()
  console.log(latencies)
  const memory = await memoryTable()
  console.log(memory)
  await writeFigures('stalls', `Measured on ${machine()}.\n\n${latencies}\n\n${memory}`)
} finally {
  issuer.close()
}

/** The percentiles of each caller without and with stalls. */
async function latencyTable(): Promise<string> {
  const [without, stalled]: [Volley[][], Volley[][]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    // In turn, so that what the machine does besides meets both.
    without.push(await volleys(service, ways))
    stalled.push(await volleys(service, { ...ways, stallEvery }))
  }
  const cells = (all: readonly Volley[][], index: number, share: number): number =>
    median(all.map((volleys) => quantile(volleys[index]?.latencies ?? [], share)))
  return table(
    [
      'Request',
      '50th, without',
      '50th, stalls',
      '99th, without',
      '99th, stalls',
      'ratio of the 99th',
    ],
    callers.map(({ title }, index) => {
      const figures = [0.5, 0.99].flatMap((share) =>
        [without, stalled].map((all) => cells(all, index, share)),
      )
      const ratio = cells(stalled, index, 0.99) / cells(without, index, 0.99)
      return [title, ...figures.map((ms) => `${ms.toFixed(1)} ms`), ratio.toFixed(2)]
    }),
  )
}

/** All callers at once, in a fresh isolate that has been asked once. */
async function volleys(contender: Contender, ways: Ways): Promise<Volley[]> {
  const server = await contender.start({ ways })
  try {
    for (const { kind, connections } of callers) {
      await fire(server.url, shotOf(kind, token), 2 * connections, connections)
    }
    return await Promise.all(
      callers.map(({ kind, count, connections }) =>
        fire(server.url, shotOf(kind, token), count, connections),
      ),
    )
  } finally {
    await server.stop()
  }
}

/** The heap before, while and after requests hang, and how countries are answered meanwhile. */
async function memoryTable(): Promise<string> {
  // The first call of the database loads countries and currencies, and no other one is answered.
  const none = { ...ways, stallEvery: 1, stallFrom: 2, stallMs: 20_000 }
  const server = await service.start({ ways: none, inspectorPort })
  try {
    const heap = await heapOf(inspectorPort)
    const settled = async (): Promise<string> => {
      // An isolate listens to its inspector while it waits for something. The health asks the database.
      const timer = setInterval(() => fetch(new URL('/health', server.url)).catch(() => {}), 50)
      await heap.collectGarbage()
      clearInterval(timer)
      return `${((await heap.used()) / 1e6).toFixed(1)} MB`
    }
    const [countries] = callers
    await fire(server.url, shotOf(countries.kind, token), 200, countries.connections)
    const rows = [['Before', await settled(), '']]
    for (let time = 1; time <= hanging.times; time++) {
      const user = { method: 'GET', path: `/users/${asker.id}`, status: 500 } as const
      const { requests } = hanging
      let hang = true
      const hung = fire(server.url, shotOf(user, token), requests, requests).finally(() => {
        hang = false
      })
      // Handled below; a failure meanwhile must not end the process before.
      hung.catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const memory = await settled()
      const isLate = hang ? '' : ' (read too late: the machine is busy)'
      const { latencies } = await fire(
        server.url,
        shotOf(countries.kind, token),
        160,
        countries.connections,
      )
      const middle = `${quantile(latencies, 0.5).toFixed(1)} ms`
      rows.push([`${requests.toLocaleString('en')} hang, time ${time}${isLate}`, memory, middle])
      await hung
      rows.push([`After their deadline, time ${time}`, await settled(), ''])
    }
    heap.close()
    return table(['Moment', 'heap', '50th of countries'], rows)
  } finally {
    await server.stop()
  }
}

function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}
