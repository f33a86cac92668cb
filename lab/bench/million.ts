import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createSealer, parseKeyRing } from '../../src/lib/key-ring.ts'
import { buildWorker } from './bundle.ts'
import { createCardKeys, varsFor } from './contenders.ts'
import { loadDatabase } from './data/database.ts'
import { personId } from './data/people.ts'
import { short } from './figures.ts'
import { allScopes, startIssuer } from './issuer.ts'
import { machine } from './machine.ts'
import {
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

const help = `Loads ten million people, and compares what requests take with those among ten thousand.

  node lab/bench/million.ts                  an hour, 13 GB in the temporary folder
  node lab/bench/million.ts --people 50000   fewer
`

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '10000000' },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) {
  console.log(help)
  process.exit()
}

const few = 10_000
const many = Number(options.people)

/** The largest `page[offset]`. */
const mostOffset = 100_000

/** Rows by which probes may differ: at its end a table has no next row to look at. */
const slack = 4

const folder = scratchFolder()
const issuer = await startIssuer()
const config = join(import.meta.dirname, '..', '..', 'wrangler.toml')
const { script } = await buildWorker(config, folder)
try {
  const small = await figuresAmong(few)
  const large = await figuresAmong(many)
  const sizes = [few, many].map((people) => `${thousands(people)} users`)
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

${table(['Rows read; in brackets rows written', ...sizes, ...sizes.map((size) => `ms, ${size}`)], requests)}

Pages by \`page[offset]\` are the ones that grow: at the largest offset, ${thousands(mostOffset)}, D1 reads ${thousands(large.offset.read)} rows in ${short(large.offset.ms)} ms.
`
  console.log(text)
  const growing = [...large.rows].filter(([title, those]) =>
    grows(small.rows.get(title) ?? [], those),
  )
  for (const [title] of growing) {
    console.error(`${title}: reads or writes more rows.`)
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
  const worker = await serveWorker({ script, storage, vars, tapped: true })
  const db = await worker.database()
  const start = performance.now()
  await loadDatabase(db, {
    people,
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
  const sealer = createSealer(parseKeyRing(cardKeys), 'cursor')
  const token = await issuer.sign({ sub: `person-${nth}`, scope: allScopes })
  const get = (title: string, path: string): Probe => ({ title, method: 'GET', path, status: 200 })
  // The isolate reads the reference data here, once.
  await rowsOf(worker.url, get('', '/countries'), token)
  const probes = [
    get('Users, first page, with `totalItems`', '/users'),
    ...(await pageProbes(db, people, sealer)),
    ...hubProbes(hub),
    ...userProbes(nth),
  ]
  const rows = new Map<string, Rows[]>()
  for (const probe of probes) {
    rows.set(probe.title, [
      ...(rows.get(probe.title) ?? []),
      await rowsOf(worker.url, probe, token),
    ])
  }
  const farthest = Math.min(people - 20, mostOffset)
  const offset = await rowsOf(worker.url, get('', `/users?page[offset]=${farthest}`), token)
  await worker.close()
  return { rows, seconds, offset }
}

/** Does a probe read or write more than any of its kind among fewer people? */
function grows(before: readonly Rows[], after: readonly Rows[]): boolean {
  const most = (rows: readonly Rows[], member: keyof Rows): number =>
    Math.max(...rows.map((row) => row[member]))
  return (
    most(after, 'read') > most(before, 'read') + slack ||
    most(after, 'written') > most(before, 'written')
  )
}

function show(rows: readonly Rows[]): string {
  const read = rows.map(({ read }) => read).join(' / ')
  const written = Math.max(...rows.map(({ written }) => written))
  return written > 0 ? `${read} (${written})` : read
}

function thousands(number: number): string {
  return number.toLocaleString('en')
}
