import { type Contender, prepareWorkers } from '../contenders.ts'
import { startIssuer } from '../issuer.ts'
import { quantile } from '../figures.ts'
import { fire, type Shot } from '../load.ts'
import { machine } from '../machine.ts'
import { options } from '../options.ts'
import { peerContenders } from '../peers.ts'
import { table, writeFigures } from '../report.ts'
import { asker, kinds, people, scopes } from '../requests.ts'
import { scratchFolder } from '../scratch.ts'
import { type Asked, networkKinds, shotOfKind } from './requests.ts'
import { distances, longWay, longWays, stallEvery, type Ways } from './ways.ts'

// Measures what a caller waits for: the ways from the isolate to the database, to the objects of the limiter and to the
// issuer. First how many of them stand one after the other, then how long answers take over the distances of `ways.ts`.

/** Requests of one kind over one distance, and how many at a time. */
const volley = { count: 1_200, connections: 32 }

/** A number of waits is the median of so many answers. */
const times = [1, 2, 3]

const issuer = await startIssuer()
const token = await issuer.sign({ sub: asker.owner, scope: scopes })
const folder = scratchFolder()
const [service, floor, beside] = await prepareWorkers(folder, issuer, people, options.beside)
const contenders = beside ? [service, beside] : [service, floor, peer()]
const names = contenders.map(({ name }) => name)
try {
  console.log(`Measured on ${machine()}.`)
  const waits = table(
    ['Request', 'goal', ...names, 'goal, cold', ...names.map((name) => `${name}, cold`)],
    await inTurn(networkKinds, async (kind) => [
      kind.title,
      String(kind.waits),
      ...(await inTurn(contenders, (contender) => warmWaits(contender, kind))),
      String(kind.waits + 1),
      ...(await inTurn(contenders, (contender) => coldWaits(contender, kind))),
    ]),
  )
  console.log(waits)
  const rows: string[][] = []
  for (const { name, ways } of distances) {
    for (const stalls of [0, stallEvery]) {
      rows.push(
        ...(await latencies(stalls ? `${name}, stalls` : name, { ...ways, stallEvery: stalls })),
      )
    }
  }
  console.log(table(['Request', 'Distance', ...names], rows))
  if (options.beside === undefined) {
    await writeFigures('network', `Measured on ${machine()}.\n\n${waits}`)
  }
} finally {
  issuer.close()
}

function peer(): Contender {
  const found = peerContenders(folder, issuer).find(({ name }) => name === 'ts-japi')
  if (!found) {
    throw new Error('There is no peer called ts-japi')
  }
  return found
}

/** How many ways stand one after the other once everything is warm; empty where the contender does not answer the request. */
async function warmWaits(contender: Contender, kind: Asked): Promise<string> {
  const shot = kind.shotAt(contender, token)
  return shot === undefined
    ? ''
    : served(contender, longWays, async (url) => {
        await fire(url, shot, 2, 1)
        return waitsOf(await inTurn(times, () => fire(url, shot, 1, 1)))
      })
}

/** How many ways stand one after the other for the first request of an isolate, or of a process. */
async function coldWaits(contender: Contender, kind: Asked): Promise<string> {
  const shot = kind.shotAt(contender, token)
  return shot === undefined
    ? ''
    : waitsOf(
        await inTurn(times, () => served(contender, longWays, (url) => fire(url, shot, 1, 1))),
      )
}

/** Milliseconds at the median, the 99th and the 99.9th percentile of each request, in rows of a table. */
async function latencies(name: string, ways: Ways): Promise<string[][]> {
  const all = await inTurn(contenders, (contender) =>
    served(contender, ways, (url) =>
      inTurn(kinds, (kind) => timesOf(url, shotOfKind(contender, kind, token))),
    ),
  )
  return kinds.map(({ title }, index) => [title, name, ...all.map((times) => times[index] ?? '')])
}

async function timesOf(url: URL, shot: Shot | undefined): Promise<string> {
  if (!shot) {
    return ''
  }
  await fire(url, shot, volley.connections, volley.connections)
  const { latencies } = await fire(url, shot, volley.count, volley.connections)
  const at = (share: number): string => Math.round(quantile(latencies, share)).toString()
  return `${at(0.5)} / ${at(0.99)} / ${at(0.999)} ms`
}

/** The median of single answers, as a multiple of one long way. */
function waitsOf(answers: readonly { readonly latencies: readonly number[] }[]): string {
  const inOrder = answers.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b)
  return (quantile(inOrder, 0.5) / longWay).toFixed(2)
}

/** Starts a Worker behind ways, does something, and stops it. */
async function served<Result>(
  contender: Contender,
  ways: Ways,
  work: (url: URL) => Promise<Result>,
): Promise<Result> {
  const server = await contender.start({ ways })
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

/** Does something for one item after the other: whatever runs at the same time would be measured with it. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    results.push(await work(item))
  }
  return results
}
