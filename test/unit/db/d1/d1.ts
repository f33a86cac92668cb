import { Agent, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { inject } from 'vitest'
import { bindingOf, mostDatabases, type schemas } from './setup.ts'

/** The part of D1 that the service uses. */
export type Database = Pick<D1Database, 'prepare' | 'batch'>

/** What happens around one round trip: count it, delay it, fail before it or after it, or never answer. */
export type Around = (texts: readonly string[], run: () => Promise<void>) => Promise<void>

/** A schema that tests use. */
export interface Schema {
  readonly name: (typeof schemas)[number]
  /** The SQL that makes its tables. */
  readonly sql: string
  /** The SQL that takes everything out of them that a test may have put in. */
  readonly empty: string
}

/** A database that nothing else uses until it is given back. */
export interface TakenDatabase {
  /** The database itself. */
  readonly d1: Database
  /** The same database with something around each round trip. */
  readonly with: (around: Around) => Database
  /** Gives the database back. One that was taken in a test is given back when the test ends at the latest. */
  readonly giveBack: () => void
}

/** A value that JSON carries to D1 as it is. */
export type Value = string | number | null

/** A statement as it is sent. */
interface Sent {
  readonly text: string
  readonly values: readonly Value[]
}

/** What the Worker answers. */
interface Answer {
  readonly returned: unknown
  readonly thrown?: { readonly message: string; readonly cause?: string }
}

/** A database as long as somebody has it. */
interface Lease {
  readonly binding: string
  /** Was it taken in a test, and not for the whole file? */
  readonly inTest: boolean
  over: boolean
}

// One connection, so that calls of D1 that begin one after the other also arrive in this order. Node's own client,
// unlike `fetch`, does not wait by the timers that tests put forward.
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const { setImmediate: afterInput } = globalThis
const underWay = new Set<Promise<unknown>>()
const leases = new Set<Lease>()
let inTest = false

/** What is taken from now on is taken in a test. */
export function beginTest(): void {
  inTest = true
}

/** Gives back what was taken in the test. */
export function endTest(): void {
  inTest = false
  for (const lease of leases) {
    if (lease.inTest) {
      giveBack(lease)
    }
  }
}

/** Gives back what was taken for the whole file. */
export function endFile(): void {
  for (const lease of leases) {
    giveBack(lease)
  }
}

/**
 * Takes a D1 database with a schema and without rows.
 *
 * @throws Error when too many databases are taken already
 */
export async function takeDatabase({ name, sql, empty }: Schema): Promise<TakenDatabase> {
  const all = Array.from({ length: mostDatabases }, (_, nth) =>
    bindingOf(name, Number(process.env.VITEST_POOL_ID), nth),
  )
  const takenAlready = new Set([...leases].map(({ binding }) => binding))
  const binding = all.find((each) => !takenAlready.has(each))
  if (binding === undefined) {
    throw new Error(`All ${mostDatabases} databases of ${name} are taken; give one back first`)
  }
  const lease = { binding, inTest, over: false }
  leases.add(lease)
  await send(lease, 'open', [
    { text: sql, values: [] },
    { text: empty, values: [] },
  ])
  return {
    d1: databaseOf(lease, (_, run) => run()),
    with: (around) => databaseOf(lease, around),
    giveBack: () => giveBack(lease),
  }
}

function giveBack(lease: Lease): void {
  lease.over = true
  leases.delete(lease)
}

/** Waits until no round trip to D1 is under way, and what follows from its answer has happened. */
export async function settled(): Promise<void> {
  do {
    await Promise.allSettled(underWay)
    await new Promise((resolve) => afterInput(resolve))
  } while (underWay.size > 0)
}

function databaseOf(lease: Lease, around: Around): Database {
  const sent = new WeakMap<object, Sent>()
  const trip = async <Returned>(call: 'raw' | 'batch', statements: readonly Sent[]) => {
    let returned: unknown
    await around(
      statements.map(({ text }) => text),
      async () => {
        returned = await send(lease, call, statements)
      },
    )
    return returned as Returned
  }
  const statementOf = (text: string, values: readonly Value[]): D1PreparedStatement => {
    const statement = {
      bind: (...given: unknown[]) => statementOf(text, given.map(bindable)),
      raw: () => trip('raw', [{ text, values }]),
    }
    sent.set(statement, { text, values })
    return statement as unknown as D1PreparedStatement
  }
  return {
    prepare: (text) => statementOf(text, []),
    batch: (statements) =>
      trip(
        'batch',
        statements.map((statement) => sent.get(statement) as Sent),
      ),
  }
}

/** @throws Error for a value that would reach D1 as another one */
function bindable(value: unknown): Value {
  if (value === null || typeof value === 'string' || Number.isFinite(value)) {
    return value as Value
  }
  throw new Error(`A parameter is a text, a finite number or null, and not ${String(value)}`)
}

/** @throws Error for a database that was given back, so that a test which goes on after its end disturbs no other */
async function send({ binding, over }: Lease, call: string, statements: readonly Sent[]) {
  if (over) {
    throw new Error(`The database ${binding} has been given back`)
  }
  const answer = post(JSON.stringify({ database: binding, call, statements }))
  underWay.add(answer)
  try {
    const { returned, thrown } = await answer
    if (thrown) {
      throw new Error(thrown.message, { cause: new Error(thrown.cause) })
    }
    return returned
  } finally {
    underWay.delete(answer)
  }
}

function post(body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(inject('d1Url'), { method: 'POST', agent }, (response) => {
      textOf(response).then((text) => resolve(JSON.parse(text)), reject)
    })
      .on('error', reject)
      .end(body)
  })
}
