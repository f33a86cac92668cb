/** How long the ways take that a request goes from the isolate that serves it, there and back, in milliseconds. */
export interface Ways {
  readonly database: number
  readonly object: number
  readonly issuer: number
  /** By which share, at most, a way is longer or shorter than that. */
  readonly jitter: number
  /** Of so many calls of the database one stalls; 0: none. */
  readonly stallEvery: number
  readonly stallMs: number
}

/** A distance, with what has been measured of it in public. */
export interface Distance {
  readonly name: string
  readonly ways: Ways
  readonly source: string
}

const far = { jitter: 0.25, stallEvery: 0, stallMs: 2_000 } as const

/** The distances that requests are measured over. The issuer is a public address on the same continent each time. */
export const distances: readonly Distance[] = [
  {
    name: 'same city',
    ways: { ...far, database: 14, object: 14, issuer: 40 },
    source: '10 to 18 ms to an object in the metropolitan area (opencomputer#654)',
  },
  {
    name: 'same continent',
    ways: { ...far, database: 42, object: 42, issuer: 40 },
    source: '35 to 49 ms to an object in the same region (opencomputer#654)',
  },
  {
    name: 'other continent',
    ways: { ...far, database: 150, object: 150, issuer: 40 },
    source:
      'some 150 ms there and back between Western Europe and the west of North America, as the light in the fibre allows 100',
  },
]

/** Of so many calls of the database one stalls, in the measurements of stalls. */
export const stallEvery = 200

/** A way so long that all else is short beside it; below the deadlines of the limiter. */
export const longWay = 200

/** All ways are long, so that the time of an answer divided by one of them tells how many stand one after the other. */
export const longWays: Ways = {
  database: longWay,
  object: longWay,
  issuer: longWay,
  jitter: 0,
  stallEvery: 0,
  stallMs: 0,
}
