import { join } from 'node:path'
import type { Contender } from '../contenders.ts'
import { short, spreadOf } from '../figures.ts'
import { fire } from '../load.ts'
import { table } from '../report.ts'
import { type Kind, shotOf } from '../requests.ts'
import { counterOf } from './valgrind.ts'

/** Thousands of instructions a request, by kind of request: a value for each round. */
export type Counts = Readonly<Record<string, readonly number[]>>

/** What is counted. */
export interface CountOptions {
  readonly service: Contender
  readonly floor: Contender
  readonly kinds: readonly Kind[]
  readonly token: string
  /** Holds what is counted on the way. */
  readonly folder: string
}

/** The counts of the service and of the floor. */
export interface BothCounts {
  readonly service: Counts
  readonly floor: Counts
}

/** The requests before the first round of a kind, as a multiple of its usual number. V8 has compiled most of what it will compile then. */
const warmUp = 25

const rounds = 9

/** The part of a kind's usual number of requests that a round has. Instructions do not scatter as CPU does. */
const share = 0.5

/** Few, because everything takes some ten times as long, and no deadline may be missed. */
const connections = 2

/**
 * Counts the instructions that the service and the floor execute. The two run side by side, because what else the machine does
 * hardly changes a count. It takes Valgrind: see `demandValgrind`.
 */
export async function countInstructions({
  service,
  floor,
  ...how
}: CountOptions): Promise<BothCounts> {
  const [ofService, ofFloor] = await Promise.all([countOf(service, how), countOf(floor, how)])
  return { service: ofService, floor: ofFloor }
}

async function countOf(
  contender: Contender,
  { kinds, token, folder }: Omit<CountOptions, 'service' | 'floor'>,
): Promise<Counts> {
  const file = join(folder, `instructions-${contender.name}`)
  const server = await contender.start({ counted: file })
  const count = counterOf(server, file)
  const counts: Record<string, number[]> = {}
  try {
    for (const kind of kinds) {
      const shot = shotOf(kind, token)
      const requests = Math.ceil(kind.count * share)
      await fire(server.url, shot, kind.count * warmUp, connections)
      const those: number[] = []
      counts[kind.name] = those
      for (let round = 0; round < rounds; round++) {
        const total = await count(() => fire(server.url, shot, requests, connections))
        those.push(total / requests / 1_000)
      }
      console.log(`(${kind.name}) ${contender.name}: ${short(meanOf(those))} thousand instructions`)
    }
  } finally {
    await server.stop()
  }
  return counts
}

/** The mean, because garbage is collected in some rounds and not in others. */
function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The instructions of the service as a multiple of the floor's. */
function instructionRatio({ service, floor }: BothCounts, kind: string): number {
  return meanOf(service[kind] ?? []) / meanOf(floor[kind] ?? [])
}

/** The counts as a table of docs/performance.md. */
export function instructionsText(counts: BothCounts, kinds: readonly Kind[]): string {
  const figures = (values: readonly number[] = []): string => {
    const { least, most } = spreadOf(values)
    return `${short(meanOf(values))} (${short(least)}–${short(most)})`
  }
  const rows = kinds.map(({ name, title, goal }) => [
    `(${name}) ${title}`,
    figures(counts.service[name]),
    figures(counts.floor[name]),
    `**${instructionRatio(counts, name).toFixed(2)}**`,
    goal.toFixed(2),
  ])
  return table(['Thousands of instructions', 'Service', 'Floor', 'Ratio', 'Goal'], rows)
}

/** What executes more instructions than its goal allows: a sentence for each. */
export function beyondGoals(counts: BothCounts, kinds: readonly Kind[]): string[] {
  return kinds.flatMap(({ name, goal }) => {
    const ratio = instructionRatio(counts, name)
    return ratio > goal
      ? [
          `(${name}) executes ${ratio.toFixed(3)} times the instructions of the floor; the goal is ${goal.toFixed(2)}.`,
        ]
      : []
  })
}
