/** Databases that share the users made in one span of time. */
interface Generation {
  /** Ids are UUIDv7, so that their order is that of time: those from here on belong to this generation. */
  readonly from: string
  /** Indices of its databases. A user's is chosen by the random tail of its id. */
  readonly databases: readonly number[]
}

/** Generations in the order of time; the first one begins with the empty string. */
export type Placement = readonly Generation[]

/** The database that holds a user. No user ever moves: a later generation holds later ids only. */
export function databaseOf(placement: Placement, id: string): number {
  const { databases } = placement.findLast(({ from }) => from <= id) ?? raise()
  const tail = Number.parseInt(id.replaceAll('-', '').slice(-8), 16)
  return databases[tail % databases.length] ?? raise()
}

/** Indices of the databases that can hold ids after a given one, a generation at a time. */
export function generationsAfter(placement: Placement, id: string): readonly (readonly number[])[] {
  const first = placement.findLastIndex(({ from }) => from <= id)
  return placement.slice(first).map(({ databases }) => databases)
}

function raise(): never {
  throw new Error('The placement has no generation for an id')
}
