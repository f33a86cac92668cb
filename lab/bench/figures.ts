/** A middle value with the least and the greatest around it. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** The spread of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const ascending = values.toSorted((a, b) => a - b)
  const middle = ascending.length / 2
  const upper = ascending[Math.floor(middle)] ?? Number.NaN
  const lower = ascending[Math.ceil(middle) - 1] ?? upper
  return {
    median: (lower + upper) / 2,
    least: ascending[0] ?? Number.NaN,
    most: ascending.at(-1) ?? Number.NaN,
  }
}

/** Each value divided by the one of the same round. */
export function ratiosOf(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, round) => value / (others[round] ?? Number.NaN))
}

/** A number for readers: at most three significant digits, with the thousands separated. */
export function short(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

/** The value below which a share of ascending values lies. */
export function quantile(ascending: readonly number[], share: number): number {
  return (
    ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
  )
}
