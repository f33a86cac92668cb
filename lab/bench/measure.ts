import type { Contender } from './contenders.ts'
import { quantile } from './figures.ts'
import { fire } from './load.ts'
import { type Kind, shotOf } from './requests.ts'
import { cpuOf, type Server } from './server/process.ts'

/** The figures of one contender for one kind of request: a value for each round. */
export interface Sample {
  /** Microseconds a request, of the serving process. */
  readonly cpu: number[]
  readonly perSecond: number[]
  /** Milliseconds. */
  readonly p50: number[]
  readonly p99: number[]
}

/** Samples by kind of request, then by contender. */
export type Samples = Readonly<Record<string, Readonly<Record<string, Sample>>>>

/** A contender that serves. */
export interface Running {
  readonly contender: Contender
  readonly server: Server
}

/** What is measured, and how often. */
export interface MeasureOptions {
  readonly kinds: readonly Kind[]
  readonly token: string
  readonly rounds: number
  readonly onKind?: (kind: Kind, samples: Readonly<Record<string, Sample>>) => void
}

/** Requests under way at a time. */
export const connections = 16

/**
 * Requests that warm up a contender before its first round, at least: as many as a round has. A compiler that is still
 * at work would count as the CPU of requests.
 */
const warmUp = 600

/** Measures all contenders in turn (A B A B), so that a disturbance of the machine meets each of them. */
export async function measure(
  running: readonly Running[],
  { kinds, token, rounds, onKind }: MeasureOptions,
): Promise<Samples> {
  const samples: Record<string, Record<string, Sample>> = {}
  for (const kind of kinds) {
    const those = running.flatMap(({ contender, server }) => {
      const path = contender.paths[kind.name]
      return path === undefined
        ? []
        : [{ contender, server, shot: shotOf({ ...kind, path }, token) }]
    })
    const { count } = kind
    const mine: Record<string, Sample> = {}
    samples[kind.name] = mine
    for (const { contender, server, shot } of those) {
      mine[contender.name] = { cpu: [], perSecond: [], p50: [], p99: [] }
      await fire(server.url, shot, Math.max(count, warmUp), connections)
    }
    for (let round = 0; round < rounds; round++) {
      for (const { contender, server, shot } of those) {
        const before = await cpuOf(server.pid)
        const volley = await fire(server.url, shot, count, connections)
        const after = await cpuOf(server.pid)
        const sample = mine[contender.name]
        sample?.cpu.push((after - before) / count)
        sample?.perSecond.push(count / volley.seconds)
        sample?.p50.push(quantile(volley.latencies, 0.5))
        sample?.p99.push(quantile(volley.latencies, 0.99))
      }
    }
    onKind?.(kind, mine)
  }
  return samples
}
