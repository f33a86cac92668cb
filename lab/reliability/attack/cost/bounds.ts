import type { Measured } from './meter.ts'

/** What a search makes as large as it can. */
export const measures = {
  cpu: 'CPU, in plain pages, per token',
  rows: 'rows read per token',
  bytes: 'bytes answered per token',
  refusal: 'bytes of a refusal',
  written: 'rows written per token',
  stored: 'bytes stored per token',
} as const

/** The name of one. */
export type Measure = keyof typeof measures

/** The most that one token may buy. `written` holds over sequences that end where they began: see `cycles.ts`. */
export const bounds = {
  rows: 2_000,
  bytes: 350_000,
  refusal: 64 * 1024,
  written: 20,
  cpu: 3,
  /** Plain pages of CPU, for what costs no token. */
  freeCpu: 1,
  /** Plain pages of CPU, for a refusal that is remembered. */
  rememberedCpu: 0.2,
} as const

/** What a request costs by a measure. What has no price counts as if it cost a token. */
export function costBy(measure: Measure, measured: Measured): number {
  const { tokens = 1, status, bytes, counts, stored, pages } = measured
  switch (measure) {
    case 'cpu':
      return pages / tokens
    case 'rows':
      return counts.rowsRead / tokens
    case 'bytes':
      return bytes / tokens
    case 'refusal':
      return status >= 400 ? bytes : 0
    case 'written':
      return counts.rowsWritten / tokens
    case 'stored':
      return stored / tokens
  }
}

/** The bounds that a request breaks, in words; those of counts alone unless CPU is to be trusted. */
export function broken(measured: Measured, options: { readonly withCpu: boolean }): string[] {
  const { tokens, status, counts, path } = measured
  const faults: string[] = []
  const bound = (measure: Measure, most: number): void => {
    const cost = costBy(measure, measured)
    if (cost > most) {
      faults.push(`${Math.round(cost)} ${measures[measure]}, at most ${most} are allowed`)
    }
  }
  if (status >= 500) {
    faults.push(`is answered ${status}`)
  }
  bound('refusal', bounds.refusal)
  if (tokens !== undefined) {
    bound('rows', bounds.rows)
    bound('bytes', bounds.bytes)
  }
  if (
    (tokens === undefined || status === 401) &&
    counts.roundTrips > 0 &&
    !path.startsWith('/health')
  ) {
    faults.push(`D1 is called ${counts.roundTrips} times, though no valid token pays for it`)
  }
  if (options.withCpu) {
    bound('cpu', tokens === undefined ? bounds.freeCpu : bounds.cpu)
  }
  return faults
}
