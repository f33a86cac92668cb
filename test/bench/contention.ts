import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { paths } from '../../scripts/lib/config.ts'
import { connected } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { startPostgres } from '../../scripts/postgres/server.ts'
import { faultyProxy } from '../postgres/faulty-proxy.ts'
import { circumstances, head, row, short, spreadOf } from './figures.ts'

/** Milliseconds that a message to the database takes. */
const way = 5
/** How many others create users, and how many name the user that its owner changes. */
const [creators, namers] = [12, 4]
/** How often the victim writes in each part. */
const times = 34
/** Milliseconds between two writes of a caller: the limiter allows ten a second. */
const interval = 100

/** What runs a write of one caller. */
type Write = (count: number) => Promise<unknown>

// A build for PostgreSQL has these in place of those that package.json names.
registerHooks({
  resolve(specifier, context, next) {
    const file = /^#(engine|columns)$/.exec(specifier)?.[1]
    const source = context.parentURL?.replace(/\/src\/.*$/, '/src/')
    return next(file ? `${source}db/postgres/pg-${file}.ts` : specifier, context)
  },
})

/**
 * Prints how long a caller waits for creates, and for changes of a user, alone and while others write as often as they may, and how many
 * of these writes fail. Stores write from this process: workerd and what stands before it would take most of the CPU.
 *
 * @param beside folders of further checkouts of the project
 */
export async function printContention(beside: readonly string[]): Promise<void> {
  const server = await startPostgres()
  const { port, username, password } = new URL(server.url)
  const proxy = await faultyProxy(Number(port))
  // Hyperdrive keeps connections, so that a greeting costs little. Its messages begin with their length, or are those of the password.
  proxy.delay(way, ([first = 0]) => first !== 0 && first !== 0x70)
  const admin = await connected(server.url)
  await admin.query(`SET scram_iterations = 1; ALTER ROLE ${username} PASSWORD '${password}'`)
  console.log(circumstances())
  const creates = ['Create, alone, ms', `with ${creators} others`, 'failed', 'writes a second']
  console.log(
    head('', ...creates, 'PATCH, alone, ms', `with ${namers} who name the user`, 'failed'),
  )
  for (const [nth, folder] of [paths.root, ...beside].entries()) {
    await admin.query(`CREATE DATABASE bench_${nth}`)
    const url = Object.assign(new URL(server.url), { pathname: `/bench_${nth}` })
    await migrate(url.href)
    const file = pathToFileURL(join(folder, 'test', 'postgres', 'stores.ts')).href
    const { href } = Object.assign(url, { port: proxy.port })
    const cells = await measured(await import(file), href)
    console.log(row(nth === 0 ? 'This service' : folder, ...cells))
  }
  await admin.end()
  await proxy[Symbol.asyncDispose]()
  await server.stop()
}

/** The cells of a row. */
async function measured(
  { storeAt, creation, related, renaming }: typeof import('../postgres/stores.ts'),
  url: string,
): Promise<string[]> {
  const { write } = storeAt(url, { deadlineMs: 5_000 })
  const creator = (owner: string) => () => write(creation(owner))
  const own = creation('victim')
  await write(own)
  const change = () => write(renaming('victim', own.id, 'Other'))
  const all = Array.from({ length: creators }, (_, nth) => `caller ${nth}`)
  const naming = all.slice(0, namers).map(async (owner) => {
    const { id } = creation(owner)
    await write(creation(owner, id))
    const naming = related(owner, id, own.id)
    return (count: number) => write({ ...naming, kind: count % 2 === 0 ? 'add' : 'remove' })
  })
  const parts = [
    await during([], creator('victim')),
    await during(all.map(creator), creator('victim')),
    await during([], change),
    await during(await Promise.all(naming), change),
  ]
  return parts.flatMap(({ ms, failed, second }, nth) =>
    [short(ms), String(failed), short(second)].slice(0, [1, 3, 1, 2][nth]),
  )
}

/** Writes once in each interval, while others do the same, whether or not they have an answer. */
async function during(others: readonly Write[], write: Write) {
  let [isOver, made, failed] = [false, 0, 0]
  const count = (): void => {
    made += isOver ? 0 : 1
  }
  const pending: Promise<unknown>[] = []
  const loops = others.map(async (send, nth) => {
    await sleep((interval * nth) / others.length)
    for (let turn = 0; !isOver; turn++) {
      pending.push(send(turn).then(count, () => {}))
      await sleep(interval)
    }
  })
  const [start, taken] = [performance.now(), [] as number[]]
  for (let turn = 0; turn < times; turn++) {
    const sent = performance.now()
    await write(turn).then(count, () => failed++)
    taken.push(performance.now() - sent)
    await sleep(Math.max(0, sent + interval - performance.now()))
  }
  isOver = true
  const second = (made * 1_000) / (performance.now() - start)
  await Promise.all([...loops, ...pending])
  return { ms: spreadOf(taken).median, failed, second }
}
