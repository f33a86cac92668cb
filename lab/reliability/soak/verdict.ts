/** Resident memory at a time of the run. */
export type MemoryPoint = readonly [minutes: number, mebibytes: number]

/** What a soak came to. */
export interface Findings {
  readonly requests: number
  readonly errors: number
  /** What is wrong with the database after the run; empty where nothing is, or where it cannot be looked into. */
  readonly database: readonly string[]
  /** Memory over the time of the run; empty where it cannot be seen. */
  readonly memory: readonly MemoryPoint[]
}

/** The verdict on a soak. */
export interface SoakVerdict {
  readonly isWell: boolean
  /** One line for each thing that was judged, and what came of it. */
  readonly text: string
}

/** Minutes that a run must take before its growth of memory is judged: before that, caches fill and the heap takes its size. */
const minutesToTell = 20

/** The share of its memory at the start that a service may grow by in an hour. */
const growthAllowed = 0.1

/** Judges a soak: no request may fail, the database must be whole, and memory may grow by a tenth in an hour at most. */
export function verdictOf({ requests, errors, database, memory }: Findings): SoakVerdict {
  const growth = growthOf(memory)
  const faults = [
    requests === 0 && 'no request was sent',
    errors > 0 && `${errors} of ${requests} requests failed`,
    ...database,
    growth?.isTooMuch && 'memory grows',
  ].filter((fault) => typeof fault === 'string')
  return {
    isWell: faults.length === 0,
    text: [
      `Verdict: ${faults.length === 0 ? 'well.' : `not well: ${faults.join('; ')}.`}`,
      `Errors: ${errors} of ${requests} requests.`,
      ...(growth ? [growth.text] : []),
    ].join('\n'),
  }
}

/** What memory did; the growth is that of the second half, as a straight line. Undefined where memory cannot be seen. */
function growthOf(
  memory: readonly MemoryPoint[],
): { readonly isTooMuch: boolean; readonly text: string } | undefined {
  const [first, last] = [memory[0], memory.at(-1)]
  if (!first || !last) {
    return undefined
  }
  const ends = `Memory: ${Math.round(first[1])} MiB at the start, ${Math.round(last[1])} MiB at the end`
  if (last[0] - first[0] < minutesToTell) {
    return {
      isTooMuch: false,
      text: `${ends}; the run is too short to tell its growth (${minutesToTell} minutes tell).`,
    }
  }
  const anHour = 60 * slope(memory.slice(Math.floor(memory.length / 2)))
  return {
    isTooMuch: anHour > growthAllowed * first[1],
    text: `${ends}; growth in an hour, by the second half: ${anHour.toFixed(1)} MiB.`,
  }
}

/** The slope of the straight line through the points, by least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)))
  return covariance / mean(points.map(([x]) => (x - meanX) ** 2))
}
