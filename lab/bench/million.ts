import { join } from 'node:path'
import { argumentsOrExit } from '../../scripts/lib/arguments.ts'
import { configOf, engineOf } from '../../scripts/lib/config.ts'
import { createSealer, parseKeyRing } from '../../src/lib/key-ring.ts'
import { buildWorker } from './bundle.ts'
import { createCardKeys, varsFor } from './contenders.ts'
import { loadDatabase } from './data/database.ts'
import { personId } from './data/people.ts'
import { postgresDatabase } from './data/postgres.ts'
import { short } from './figures.ts'
import { allScopes, startIssuer } from './issuer.ts'
import { machine } from './machine.ts'
import {
  costIn,
  hubProbes,
  type Probe,
  pageProbes,
  type Rows,
  relate,
  rowsOf,
  userProbes,
} from './probes.ts'
import { table } from './report.ts'
import { scratchFolder } from './scratch.ts'
import { serveWorker } from './server/workerd.ts'

const help = `Loads ten million people, and compares what requests take with those among few.

  node lab/bench/million.ts                       on D1; an hour, 13 GB in the temporary folder
  node lab/bench/million.ts --database postgres   a million on PostgreSQL; five minutes, 2 GB
  node lab/bench/million.ts --people 50000        fewer
`

const options = argumentsOrExit({
  name: 'million',
  help,
  options: { people: { type: 'string' }, database: { type: 'string' } },
})

const engine = engineOf(options.database)
/** How many people are loaded first, and then. PostgreSQL reads small tables as a whole, which costs less than their indexes. */
const sizes = { d1: [10_000, 10_000_000], postgres: [100_000, 1_000_000] } as const
const [few, most] = sizes[engine]
const many = Number(options.people ?? most)

/** The largest `page[offset]`. */
const mostOffset = 100_000

/** Rows by which probes may differ: at its end a table has no next row to look at. */
const slack = 4

const folder = scratchFolder()
const issuer = await startIssuer()
const { script } = await buildWorker(configOf[engine], folder)
try {
  const small = await figuresAmong(few)
  const large = await figuresAmong(many)
  const columns = [few, many].map((people) => `${thousands(people)} users`)
  const requests = [...large.rows].map(([title, those]) => {
    const both = [small.rows.get(title) ?? [], those]
    return [
      title,
      ...both.map(show),
      ...both.map((rows) => rows.map(({ ms }) => short(ms)).join(' / ')),
    ]
  })
  const text = `
Measured on ${machine()}. Loading ${thousands(many)} users with their links took ${thousands(Math.round(large.seconds))} seconds.

${table([`Rows read; in brackets ${engine === 'd1' ? 'rows written' : 'pages'}`, ...columns, ...columns.map((column) => `ms, ${column}`)], requests)}

Pages by \`page[offset]\` are the ones that grow: at the largest offset, ${thousands(mostOffset)}, the database reads ${thousands(large.offset.read)} rows in ${short(large.offset.ms)} ms.
`
  console.log(text)
  const growing = [...large.rows].filter(([title, those]) =>
    grows(small.rows.get(title) ?? [], those),
  )
  for (const [title] of growing) {
    console.error(`${title}: reads or writes more.`)
  }
  process.exitCode = growing.length > 0 ? 1 : 0
} finally {
  issuer.close()
}

/** Loads so many people, and asks each probe. */
async function figuresAmong(people: number) {
  const storage = join(folder, `database-${people}`)
  const cardKeys = createCardKeys()
  const vars = { ...varsFor(issuer, cardKeys), PAGE_OFFSET_MAX: String(mostOffset) }
  const postgres = engine === 'postgres' ? await postgresDatabase() : undefined
  const tapped = postgres === undefined
  const worker = await serveWorker({ script, storage, vars, tapped, postgres: postgres?.url })
  const db = postgres?.db ?? (await worker.database())
  const start = performance.now()
  await loadDatabase(db, {
    people,
    engine,
    seal: async () => null,
    onProgress: (what, number) => {
      if (number % 100_000 === 0) {
        console.log(`${what} ${thousands(number)} …`)
      }
    },
  })
  const seconds = (performance.now() - start) / 1000
  // Neither this person nor the next one, who has many relatives, is on one of the pages that are asked for.
  const nth = Math.floor(people * 0.4)
  const hub = personId(nth + 1)
  await relate(db, hub)
  await postgres?.settle()
  await postgres?.explain()
  const sealer = createSealer(parseKeyRing(cardKeys), 'cursor')
  const token = await issuer.sign({ sub: `person-${nth}`, scope: allScopes })
  const get = (title: string, path: string): Probe => ({ title, method: 'GET', path, status: 200 })
  const ask = (probe: Probe) => rowsOf(worker.url, probe, token, postgres?.cost ?? costIn)
  // The isolate reads the reference data here, once.
  await ask(get('', '/countries'))
  const probes = [
    get('Users, first page, with `totalItems`', '/users'),
    ...(await pageProbes(db, people, sealer)),
    ...hubProbes(hub),
    ...userProbes(nth),
  ]
  const rows = new Map<string, Rows[]>()
  for (const probe of probes) {
    rows.set(probe.title, [...(rows.get(probe.title) ?? []), await ask(probe)])
  }
  const farthest = Math.min(people - 20, mostOffset)
  const offset = await ask(get('', `/users?page[offset]=${farthest}`))
  await worker.close()
  await postgres?.stop()
  return { rows, seconds, offset }
}

/**
 * Does a probe read or write more than any of its kind among fewer people? An index of more rows has a level more, so that it takes a
 * page more where there were two.
 */
function grows(before: readonly Rows[], after: readonly Rows[]): boolean {
  const most = (rows: readonly Rows[], member: keyof Rows): number =>
    Math.max(...rows.map((row) => row[member]))
  return (
    most(after, 'read') > most(before, 'read') + slack ||
    most(after, 'written') > most(before, 'written') ||
    most(after, 'pages') > 2 * most(before, 'pages')
  )
}

function show(rows: readonly Rows[]): string {
  const read = rows.map(({ read }) => read).join(' / ')
  const rest = Math.max(...rows.map(({ written, pages }) => written || pages))
  return rest > 0 ? `${read} (${rest})` : read
}

function thousands(number: number): string {
  return number.toLocaleString('en')
}
