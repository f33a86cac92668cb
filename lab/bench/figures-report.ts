import type { Bundle } from './bundle.ts'
import type { Contender } from './contenders.ts'
import type { Cost } from './costs.ts'
import { ratiosOf, short, spreadOf } from './figures.ts'
import type { Sample, Samples } from './measure.ts'
import { table } from './report.ts'
import { type Kind, kinds, largeKinds } from './requests.ts'

/** Everything that one run has found out. */
export interface Findings {
  readonly machine: string
  readonly rounds: number
  readonly contenders: readonly Contender[]
  readonly samples: Samples
  /** By contender, then by kind. */
  readonly costs: Readonly<Record<string, Readonly<Record<string, Cost>>>>
  /** Bytes by contender, then by kind. */
  readonly sizes: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** What a run has found out, as the generated part of docs/performance.md. */
export function figuresText(findings: Findings): string {
  const { machine, rounds, samples } = findings
  return `
Measured on ${machine}. ${rounds} rounds in turn, 16 connections; medians, and in brackets the least and the greatest of all rounds.

### Beside the floor

CPU is microseconds a request of the serving process; the ratio is the service's CPU divided by the floor's in the same round.

${besideFloor(kinds, samples)}

### Beside its peers

CPU in microseconds a request; in brackets the service's CPU as a multiple of it, and the size of the answer.

${besidePeers(findings)}

### What a request asks of D1 and of the limiter

The second request of its kind in an isolate, as D1's own \`meta\` counts it; the floor's figures in brackets where they differ.

${costTable(findings)}

### The largest answers

${besideFloor(largeKinds, samples)}

### The bundle

${bundleText(findings)}
`
}

function besideFloor(those: readonly Kind[], samples: Samples): string {
  const rows = those.flatMap((kind) => {
    const { service, floor } = samples[kind.name] ?? {}
    if (!service || !floor) {
      return []
    }
    const { median, least, most } = spreadOf(ratiosOf(service.cpu, floor.cpu))
    const pair = (name: keyof Sample): string =>
      `${short(spreadOf(service[name]).median)} / ${short(spreadOf(floor[name]).median)}`
    return [
      [
        `(${kind.name}) ${kind.title}`,
        pair('cpu'),
        `**${median.toFixed(2)}** (${least.toFixed(2)}–${most.toFixed(2)})`,
        kind.goal.toFixed(2),
        pair('perSecond'),
        pair('p50'),
        pair('p99'),
      ],
    ]
  })
  const head = ['Service / floor', 'CPU µs', 'Ratio', 'Goal', 'Requests/s', 'p50 ms', 'p99 ms']
  return table(head, rows)
}

function besidePeers({ contenders, samples, sizes }: Findings): string {
  const those = kinds.filter(({ name }) => Object.keys(samples[name] ?? {}).length > 2)
  const rows = contenders.map(({ name, title }) => [
    title,
    ...those.map((kind) => {
      const { [name]: sample, service } = samples[kind.name] ?? {}
      if (!sample || !service) {
        return '–'
      }
      const cpu = short(spreadOf(sample.cpu).median)
      const ratio = spreadOf(ratiosOf(service.cpu, sample.cpu)).median.toFixed(2)
      const size = `${short((sizes[name]?.[kind.name] ?? Number.NaN) / 1000)} KB`
      return name === 'service' ? `**${cpu}** (${size})` : `${cpu} (**${ratio}**, ${size})`
    }),
  ])
  return table(['CPU µs', ...those.map(({ name, title }) => `(${name}) ${title}`)], rows)
}

function costTable({ costs }: Findings): string {
  const rows = [...kinds, ...largeKinds].flatMap(({ name, title }) => {
    const [service, floor] = [costs.service?.[name], costs.floor?.[name]]
    if (!service || !floor) {
      return []
    }
    const figure = (member: keyof Cost): string =>
      service[member] === floor[member]
        ? short(service[member])
        : `${short(service[member])} (${short(floor[member])})`
    const members = ['bytes', 'roundTrips', 'rowsRead', 'rowsWritten', 'objectCalls'] as const
    return [[`(${name}) ${title}`, ...members.map(figure)]]
  })
  const head = ['', 'Bytes', 'D1 round trips', 'Rows read', 'Rows written', 'Object calls']
  return table(head, rows)
}

function bundleText({ contenders: [service, floor] }: Findings): string {
  const size = ({ gzipped, bytes }: Bundle): string =>
    `${short(gzipped / 1000)} KB gzip (${short(bytes / 1000)} KB)`
  return service?.bundle && floor?.bundle
    ? `The bundle is ${size(service.bundle)}; the floor's is ${size(floor.bundle)}.`
    : ''
}
