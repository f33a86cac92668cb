import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compatibility } from '../../../scripts/lib/compatibility.ts'
import { type Contender, createCardKeys, prepareWorkers, varsFor } from '../contenders.ts'
import { ask } from '../costs.ts'
import { short, spreadOf } from '../figures.ts'
import { allScopes, startIssuer } from '../issuer.ts'
import { machine } from '../machine.ts'
import { options } from '../options.ts'
import { table, writeFigures } from '../report.ts'
import { asker, kinds, people } from '../requests.ts'
import { scratchFolder } from '../scratch.ts'
import { exactCpuOf, startServer } from '../server/process.ts'

// Measures what it takes to start a Worker, in milliseconds of CPU: loading it, and then the first request of each kind.

/** How often Workers are loaded, and how often they are started for the first request of each kind. */
const rounds = { loading: 40, starting: 24 }

/** Rounds before the first one that counts: workerd and its loader warm up. */
const warmUp = 2

/** A Worker that does nothing. What it takes to load is taken off all others. */
const empty = `
import { DurableObject } from 'cloudflare:workers'
export class TokenBucket extends DurableObject {}
export default { fetch: () => new Response(null, { status: 204 }) }
`

const folder = scratchFolder()
const issuer = await startIssuer()
try {
  const token = await issuer.sign({ sub: asker.owner, scope: allScopes })
  const prepared = await prepareWorkers(folder, issuer, people, options.beside)
  const contenders = prepared.filter((contender) => contender !== undefined)
  const loading = await loadings(contenders)
  const requests = new Map<Contender, number[]>()
  for (let round = 0; round < rounds.starting; round++) {
    for (const contender of contenders) {
      const before = requests.get(contender) ?? []
      requests.set(contender, [...before, await firstRequests(contender, token)])
    }
  }
  const times = (contender: Contender): readonly [number, number] => {
    const loaded = spreadOf(loading.get(contender) ?? []).median
    return [loaded, loaded + spreadOf(requests.get(contender) ?? []).median]
  }
  const [service] = prepared
  const rows = contenders.map((contender) => {
    const ratio = (of: 0 | 1) => (times(service)[of] / times(contender)[of]).toFixed(2)
    const [loaded, answered] = times(contender)
    return [contender.title, short(loaded), ratio(0), short(answered), ratio(1)]
  })
  const multiple = 'the service as a multiple of it'
  const head = ['', 'Loading, ms', multiple, 'With the first request of each kind, ms', multiple]
  const text = `Measured on ${machine()}.\n\n${table(head, rows)}`
  console.log(text)
  if (options.beside === undefined) {
    await writeFigures('start-up', text)
  }
} finally {
  issuer.close()
}

/**
 * What it takes to load Workers and to get a first answer from them that needs nothing else, less the same for an empty Worker: a
 * value for each round. All of them are loaded in turn, each time into a new isolate of one process.
 */
async function loadings(
  contenders: readonly Contender[],
): Promise<ReadonlyMap<Contender, readonly number[]>> {
  const server = await startServer(join(import.meta.dirname, '..', 'server', 'worker.ts'), {
    script: join(import.meta.dirname, 'loader.js'),
    storage: join(folder, 'loading'),
    vars: {
      ...varsFor(issuer, createCardKeys()),
      BENCH_COMPATIBILITY: JSON.stringify(compatibility),
    },
    loads: true,
  })
  const load = async (body: string): Promise<number> => {
    const before = await exactCpuOf(server.pid)
    const response = await fetch(server.url, { method: 'POST', body })
    await response.arrayBuffer()
    if (response.status >= 500) {
      throw new Error(`A bundle does not load: ${response.status}`)
    }
    return ((await exactCpuOf(server.pid)) - before) / 1000
  }
  const used = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]))
  for (let round = -warmUp; round < rounds.loading; round++) {
    const nothing = await load(empty)
    for (const [contender, times] of used) {
      const time = (await load(await readFile(contender.bundle?.script ?? '', 'utf8'))) - nothing
      if (round >= 0) {
        times.push(time)
      }
    }
  }
  await server.stop()
  return used
}

/** The first request of each kind together, on a server that has just started. */
async function firstRequests(contender: Contender, token: string): Promise<number> {
  const server = await contender.start()
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
