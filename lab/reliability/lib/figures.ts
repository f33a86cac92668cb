/** The value below which this share of the sorted numbers lies; `NaN` for none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The slope of the straight line through the points, by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)))
  return covariance / mean(points.map(([x]) => (x - meanX) ** 2))
}
