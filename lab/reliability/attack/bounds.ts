import type { Measured } from './meter.ts'

/** What a search makes as large as it can. */
export const measures = {
  rows: 'rows read per token',
  bytes: 'bytes answered per token',
  refusal: 'bytes of a refusal',
  undone: 'rows changed and undone per token',
  cpu: 'CPU, in plain pages, per token',
} as const

/** The name of one. */
export type Measure = keyof typeof measures

/**
 * The most that one token may buy. What writes that end where they began write for a token, a test holds to docs/scaling.md.
 */
export const bounds = {
  rows: 2_000,
  bytes: 350_000,
  refusal: 64 * 1024,
  undone: 20,
  cpu: 3,
  /** Plain pages of CPU, for what costs no token. */
  freeCpu: 1,
  /** Plain pages of CPU, for a refusal that is remembered. */
  rememberedCpu: 0.2,
} as const

/** What a request costs by a measure. What has no price counts as if it cost a token. */
export function costBy(measure: Measure, measured: Measured): number {
  const { tokens = 1, status, bytes, counts, pages } = measured
  switch (measure) {
    case 'cpu':
      return pages / tokens
    case 'rows':
      return counts.rowsRead / tokens
    case 'bytes':
      return bytes / tokens
    case 'refusal':
      return status >= 400 ? bytes : 0
    case 'undone':
      return counts.undone / tokens
  }
}

/** A bound that a request breaks. */
export interface Fault {
  /** Which one it is; what is worse by the same bound costs more. */
  readonly bound: string
  readonly cost: number
  /** In words. */
  readonly told: string
}

/** The bounds of counts that a request breaks. */
export function broken(measured: Measured): Fault[] {
  const { tokens, status, counts, path } = measured
  const { roundTrips } = counts
  const isUnpaid = (tokens === undefined || status === 401) && !path.startsWith('/health')
  return [
    ...(status >= 500
      ? [{ bound: 'no failure', cost: status, told: `is answered ${status}` }]
      : []),
    ...beyond(measured, 'refusal', bounds.refusal),
    ...beyond(measured, 'undone', bounds.undone),
    ...(tokens === undefined
      ? []
      : [...beyond(measured, 'rows', bounds.rows), ...beyond(measured, 'bytes', bounds.bytes)]),
    ...(isUnpaid && roundTrips > 0
      ? [
          {
            bound: 'D1 is paid for',
            cost: roundTrips,
            told: `D1 is called ${roundTrips} times, though no valid token pays for it`,
          },
        ]
      : []),
  ]
}

/** The bound of CPU that a request breaks, if it does: its CPU must have been measured often enough to be trusted. */
export function brokenByCpu(measured: Measured): Fault[] {
  return beyond(measured, 'cpu', measured.tokens === undefined ? bounds.freeCpu : bounds.cpu)
}

function beyond(measured: Measured, measure: Measure, most: number): Fault[] {
  const cost = costBy(measure, measured)
  const told = `${Math.round(cost)} ${measures[measure]}, at most ${most} are allowed`
  return cost > most ? [{ bound: measures[measure], cost, told }] : []
}
