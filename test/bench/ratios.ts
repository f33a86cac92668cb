import type { Received } from '../fuzz/send.ts'
import type { Contender, Contenders } from './contenders.ts'
import { head, row, short, spreadOf } from './figures.ts'
import { allScopes, type Issuer } from './issuer.ts'
import { ask, asker, fire, type Kind, kinds } from './requests.ts'
import { cpuOf, type ServedWorker } from './serve.ts'

/** A contender that serves. */
interface Running {
  readonly contender: Contender
  readonly worker: ServedWorker
}

/** Requests that warm up a contender, at least: a compiler that is still at work would count as CPU of requests. */
const warmUp = 600

/** Prints what each kind of request takes, in CPU of workerd, and how large the bundles are. */
export async function printRatios(
  contenders: Contenders,
  issuer: Issuer,
  only: string,
  rounds: number,
): Promise<void> {
  const [, floor] = contenders
  const token = await issuer.sign({ sub: asker.owner, scope: allScopes })
  const running: Running[] = []
  for (const contender of contenders) {
    running.push({ contender, worker: await contender.start() })
  }
  const asked = kinds.filter(({ name }) => only.includes(name))
  await tellDifferences(running, asked, token)
  console.log(`CPU in µs a request, and its ratio to that of the floor in the same of ${rounds} rounds: the median, the least and the
greatest.\n`)
  console.log(head('', 'Goal', ...contenders.map(({ title }) => title)))
  for (const kind of asked) {
    const samples = await measure(running, kind, token, rounds)
    const of = (contender: Contender) => samples.get(contender) ?? []
    const cells = contenders.map((contender) => cellOf(of(contender), of(floor)))
    console.log(row(`(${kind.name}) ${kind.title}`, kind.goal.toFixed(2), ...cells))
  }
  const sizes = contenders.map(({ title, bundle }) => {
    const [gzipped, bytes] = [bundle.gzipped, bundle.bytes].map((size) => short(size / 1000))
    return `${title} ${gzipped} KB gzip (${bytes} KB)`
  })
  console.log(`\nBundles: ${sizes.join(', ')}.`)
  for (const { worker } of running) {
    await worker.close()
  }
}

/** The median, and the ratio to the floor. */
function cellOf(cpu: readonly number[], floor: readonly number[]): string {
  const { median, least, most } = spreadOf(cpu.map((value, round) => value / Number(floor[round])))
  const figure = short(spreadOf(cpu).median)
  return `${figure}: **${median.toFixed(2)}** (${least.toFixed(2)}–${most.toFixed(2)})`
}

/** Microseconds of CPU a request in each round. All take turns, so that a disturbance of the machine meets each of them. */
async function measure(
  running: readonly Running[],
  kind: Kind,
  token: string,
  rounds: number,
): Promise<ReadonlyMap<Contender, readonly number[]>> {
  const samples = new Map(running.map(({ contender }) => [contender, [] as number[]]))
  for (const { worker } of running) {
    await fire(worker.url, kind, token, Math.max(kind.count, warmUp))
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contender, worker } of running) {
      const before = await cpuOf(worker.pid)
      await fire(worker.url, kind, token, kind.count)
      samples.get(contender)?.push(((await cpuOf(worker.pid)) - before) / kind.count)
    }
  }
  return samples
}

/** Header fields that differ from answer to answer. */
const volatile = ['date', 'x-request-id', 'x-ratelimit-remaining']

/** All must answer as the service does, to the byte: otherwise it is no floor. */
async function tellDifferences(
  [service, ...others]: readonly Running[],
  asked: readonly Kind[],
  token: string,
): Promise<void> {
  for (const kind of asked) {
    for (const { contender, worker } of others) {
      const expected = service && comparable(await ask(service.worker.url, kind, token))
      const found = comparable(await ask(worker.url, kind, token))
      if (found !== expected) {
        console.log(`(${kind.name}) ${contender.title} answers otherwise:\n${found}\n${expected}\n`)
        process.exitCode = 1
      }
    }
  }
}

/** An answer as text, without what differs in every answer: revisions, which stand first in tags, are random. */
function comparable({ headers, text }: Received): string {
  const fields = Object.entries(headers)
    .filter(([name]) => !volatile.includes(name))
    .map(([name, value]) => `${name}: ${String(value).replace(/^"[^".]*\./, '"')}`)
    .sort()
  return [...fields, text].join('\n')
}
