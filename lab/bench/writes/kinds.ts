/** What an answer to a write tells of itself. */
export interface Written {
  /** The path of what it has made, below the root path; empty where it has made nothing. */
  readonly path: string
  readonly tag: string
  /** What it has cost, where the server is tapped. */
  readonly cost: WriteCost
}

/** What D1 has counted for a write. */
export interface WriteCost {
  readonly roundTrips: number
  readonly statements: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

/** Sends a write below the root path as one person. */
export type Send = (
  method: string,
  path: string,
  body: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<Written>

/** A unit of work, done again and again. The number makes what it writes its own. */
type Unit = (nth: number) => Promise<readonly WriteCost[]>

/** A kind of write. */
export interface WriteKind {
  readonly title: string
  /** Units of one person in one round. */
  readonly units: number
  /** Prepares what one person needs, who owns nothing yet. */
  readonly start: (send: Send) => Promise<Unit>
}

/** Two kinds that have the same effect, so that their costs can be compared. */
export type Pair = readonly [plain: WriteKind, other: WriteKind]

const mediaType = 'application/vnd.api+json'
const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

const made = (): object => ({
  type: 'users',
  attributes: { fullName: 'Jane Novak', email: `${crypto.randomUUID()}@example.com` },
})

/** A change of the name of a user, which the person creates before. */
function patches(title: string, isConditional: boolean): WriteKind {
  return {
    title,
    units: 30,
    async start(send) {
      const { path, tag: first } = await send('POST', '/users', { data: made() })
      let tag = first
      const id = path.split('/').at(-1)
      return async (nth) => {
        const body = { data: { type: 'users', id, attributes: { fullName: `Jane ${nth}` } } }
        const written = await send('PATCH', path, body, isConditional ? { 'If-Match': tag } : {})
        tag = written.tag
        return [written.cost]
      }
    },
  }
}

/** So many creates, one after the other. */
function creates(title: string, count: number, units: number, isKeyed = false): WriteKind {
  return {
    title,
    units,
    start: async (send) => async () => {
      const costs: WriteCost[] = []
      for (let nth = 0; nth < count; nth++) {
        const key = isKeyed ? { 'Idempotency-Key': crypto.randomUUID() } : {}
        costs.push((await send('POST', '/users', { data: made() }, key)).cost)
      }
      return costs
    },
  }
}

/** As many creates in one transaction. */
function transaction(title: string, count: number, units: number): WriteKind {
  const headers = { Accept: atomicType, 'Content-Type': atomicType }
  return {
    title,
    units,
    start: async (send) => async () => {
      const operations = Array.from({ length: count }, () => ({ op: 'add', data: made() }))
      const body = { 'atomic:operations': operations }
      return [(await send('POST', '/operations', body, headers)).cost]
    },
  }
}

/** The writes that are measured. */
export const pairs: readonly Pair[] = [
  [patches('`PATCH` of a user', false), patches('… with `If-Match`', true)],
  [creates('`POST` of a user', 1, 30), creates('… with `Idempotency-Key`', 1, 30, true)],
  [creates('1 `POST` of a user', 1, 30), transaction('… as a transaction of 1', 1, 30)],
  [creates('5 `POST` of a user', 5, 8), transaction('… as a transaction of 5', 5, 8)],
  [creates('20 `POST` of a user', 20, 2), transaction('… as a transaction of 20', 20, 2)],
]
