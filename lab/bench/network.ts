import { type Contender, prepareWorkers } from './contenders.ts'
import { spreadOf } from './figures.ts'
import { allScopes, startIssuer } from './issuer.ts'
import { fire } from './load.ts'
import { machine } from './machine.ts'
import { peerContenders } from './peers.ts'
import { table, writeFigures } from './report.ts'
import { asker, kinds, people, shotOf } from './requests.ts'
import { scratchFolder } from './scratch.ts'

// Measures what a caller waits for: how many of the ways from the isolate to the database, to the objects of the limiter and to
// the issuer stand one after the other.

/** Milliseconds of a way there and back: so long that all else is short beside it, and below the deadlines of the limiter. */
const way = 200

/** A number of waits is the median of so many answers. */
const times = [1, 2, 3]

/** A request of which the waits are counted. */
interface Asked {
  readonly title: string
  readonly method: 'GET' | 'PATCH'
  readonly status: number
  readonly bodies?: readonly string[]
  /** The ways one after the other that no design can do without, once all is warm; on a cold isolate there is one more. */
  readonly waits: number
  /** As a contender spells it; undefined where it does not answer it. */
  readonly pathAt: (contender: Contender) => string | undefined
}

/** A read of the user who asks, which the service alone answers. */
const read = (title: string, rest: string, waits: number): Asked => ({
  title,
  method: 'GET',
  status: 200,
  waits,
  pathAt: ({ name }) => (name === 'service' ? `/users/${asker.id}${rest}` : undefined),
})

/** The requests of the benchmark, and those whose waits could differ from theirs. */
const asked: readonly Asked[] = [
  ...kinds.map((kind) => ({
    ...kind,
    waits: kind.method === 'GET' ? 1 : 2,
    pathAt: ({ paths }: Contender) => paths[kind.name],
  })),
  read('Linkage of relatives', '/relationships/relatives', 1),
  read('Include of two levels', '?include=relatives.placeOfBirth', 1),
  read('Include of two levels of users', '?include=relatives.relatives', 2),
  read('Include of three levels of users', '?include=relatives.relatives.relatives', 3),
]

const issuer = await startIssuer()
const token = await issuer.sign({ sub: asker.owner, scope: allScopes })
const folder = scratchFolder()
const [service, floor] = await prepareWorkers(folder, issuer, people)
const peers = peerContenders(folder, issuer).filter(({ name }) => name === 'ts-japi')
const contenders = [service, floor, ...peers]
const names = contenders.map(({ name }) => name)
try {
  const rows: string[][] = []
  for (const one of asked) {
    const warm: string[] = []
    const cold: string[] = []
    for (const contender of contenders) {
      warm.push(await waitsAt(contender, one, true))
      cold.push(await waitsAt(contender, one, false))
    }
    rows.push([one.title, String(one.waits), ...warm, String(one.waits + 1), ...cold])
  }
  const head = ['Request', 'goal', ...names, 'goal, cold', ...names.map((name) => `${name}, cold`)]
  const text = `Measured on ${machine()}.\n\n${table(head, rows)}`
  console.log(text)
  await writeFigures('network', text)
} finally {
  issuer.close()
}

/** How many ways stand one after the other, once everything is warm, or for the first request of an isolate or of a process. */
async function waitsAt(contender: Contender, one: Asked, isWarm: boolean): Promise<string> {
  const path = one.pathAt(contender)
  if (path === undefined) {
    return ''
  }
  const shot = shotOf({ ...one, path }, token)
  const waited: number[] = []
  const ask = async (url: URL): Promise<void> => {
    waited.push(...(await fire(url, shot, 1, 1)).latencies)
  }
  if (isWarm) {
    await served(contender, async (url) => {
      await fire(url, shot, 2, 1)
      for (const _ of times) {
        await ask(url)
      }
    })
  } else {
    for (const _ of times) {
      await served(contender, ask)
    }
  }
  return (spreadOf(waited).median / way).toFixed(2)
}

/** Starts a contender behind ways, does something, and stops it. */
async function served(contender: Contender, work: (url: URL) => Promise<void>): Promise<void> {
  const server = await contender.start({ way })
  try {
    await work(server.url)
  } finally {
    await server.stop()
  }
}
