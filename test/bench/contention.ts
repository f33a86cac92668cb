import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { paths } from '../../scripts/lib/config.ts'
import { connected } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { startPostgres } from '../../scripts/postgres/server.ts'
import { startPooler } from '../postgres/pooler.ts'
import { createCardKeys, varsFor } from './contenders.ts'
import { head, row, short, spreadOf } from './figures.ts'
import { allScopes, type Issuer } from './issuer.ts'
import { buildWorker, bundleOf, serveWorker } from './serve.ts'

/** Milliseconds that an answer of the database takes. */
const way = 5
/** Connections of the database: those of docs/postgres.md, with a few for administrators. */
const connections = 63
/** Other callers, and how many of them name the user whose owner changes it. */
const [callers, namers] = [12, 4]
/** Creates of the victim, or changes of its user, in each part. */
const times = 34
/** Milliseconds between two writes of a caller, of which the bucket allows ten a second. */
const interval = 100

/**
 * Prints how long a caller waits for creates, and for changes of a user, alone and while others write as much as they may, and how many
 * of these fail.
 *
 * @param beside files of further bundles for PostgreSQL
 */
export async function printContention(
  folder: string,
  issuer: Issuer,
  beside: readonly string[],
): Promise<void> {
  const server = await startPostgres({ settings: { max_connections: String(connections) } })
  const far = await delaying(Number(new URL(server.url).port))
  const pooler = await startPooler(Object.assign(new URL(server.url), { port: far }).href)
  const built = await buildWorker(join(folder, 'service'), undefined, paths.postgresConfig)
  const others = await Promise.all(
    beside.map(async (file) => [file, await bundleOf(file)] as const),
  )
  console.log(
    head(
      '',
      ...['Create, alone, ms', `with ${callers} others`, 'failed', 'writes a second, all'],
      ...['PATCH, alone, ms', `with ${namers} who name the user`, 'failed'],
    ),
  )
  const limits = { RATE_LIMIT_BURST_CAPACITY: '100', RATE_LIMIT_REPLENISH_RATE: '50' }
  for (const [nth, [title, { script }]] of [
    ['This service', built] as const,
    ...others,
  ].entries()) {
    const admin = await connected(server.url)
    await admin.query(`CREATE DATABASE bench_${nth}`)
    await admin.end()
    await migrate(Object.assign(new URL(server.url), { pathname: `/bench_${nth}` }).href)
    const { url, close } = await serveWorker({
      script,
      storage: join(folder, `limiter ${nth}`),
      vars: { ...varsFor(issuer, createCardKeys()), ...limits },
      postgres: pooler.urlOf(`bench_${nth}`),
    })
    console.log(row(title, ...(await measured(url, issuer))))
    await close()
  }
  await pooler.close()
  await server.stop()
}

/** The cells of a row. */
async function measured(url: URL, issuer: Issuer): Promise<string[]> {
  const caller = async (sub: string) => {
    const token = await issuer.sign({ sub, scope: allScopes })
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' }
    return (method: string, path: string, data: unknown) => {
      const body = JSON.stringify({ data })
      return fetch(new URL(`/jsonapi${path}`, url), { method, headers, body })
    }
  }
  type Send = Awaited<ReturnType<typeof caller>>
  const create = (send: Send) => {
    const attributes = { fullName: 'Kari', email: `${crypto.randomUUID()}@example.com` }
    return send('POST', '/users', { type: 'users', attributes })
  }
  const userOf = async (send: Send): Promise<string> =>
    ((await (await create(send)).json()) as { data: { id: string } }).data.id
  const victim = await caller('victim')
  const id = await userOf(victim)
  const rename = () =>
    victim('PATCH', `/users/${id}`, { type: 'users', id, attributes: { fullName: 'Ola' } })
  const names = Array.from({ length: callers }, (_, nth) => `caller ${nth}`)
  const all = await Promise.all(names.map(caller))
  const relatives = [{ type: 'users', id, meta: { relationshipType: 'SON' } }]
  const naming = all.slice(0, namers).map(async (send) => {
    const path = `/users/${await userOf(send)}/relationships/relatives`
    return (count: number) => send(count % 2 === 0 ? 'POST' : 'DELETE', path, relatives)
  })
  const creates = all.map((send) => () => create(send))
  const parts = [
    await during([], () => create(victim)),
    await during(creates, () => create(victim)),
    await during([], rename),
    await during(await Promise.all(naming), rename),
  ]
  return parts.flatMap(({ ms, failed, second }, nth) =>
    [short(ms), String(failed), short(second)].slice(0, [1, 3, 1, 2][nth]),
  )
}

/** Writes once in each interval, while others do the same. */
async function during(
  others: readonly ((count: number) => Promise<Response>)[],
  write: () => Promise<Response>,
) {
  let [isOver, made, failed] = [false, 0, 0]
  const send = async (call: Promise<Response>): Promise<boolean> => {
    const { ok } = await call.catch(Response.error)
    made += ok && !isOver ? 1 : 0
    return ok
  }
  const pending: Promise<unknown>[] = []
  const loops = others.map(async (one, nth) => {
    await sleep((interval * nth) / others.length)
    for (let count = 0; !isOver; count++) {
      pending.push(send(one(count)))
      await sleep(interval)
    }
  })
  const [start, taken] = [performance.now(), [] as number[]]
  for (let left = times; left > 0; left--) {
    const sent = performance.now()
    failed += (await send(write())) ? 0 : 1
    taken.push(performance.now() - sent)
    await sleep(Math.max(0, sent + interval - performance.now()))
  }
  isOver = true
  const second = (made * 1_000) / (performance.now() - start)
  await Promise.all([...loops, ...pending])
  return { ms: spreadOf(taken).median, failed, second }
}

/** The port of a proxy before a server whose answers take some milliseconds longer. */
async function delaying(to: number): Promise<string> {
  const proxy = createServer({ noDelay: true }, (client) => {
    const behind = connect({ port: to, host: '127.0.0.1', noDelay: true })
    client.on('data', (bytes) => behind.write(bytes))
    behind.on('data', (bytes) => setTimeout(() => client.write(bytes), way))
    client.on('error', () => {}).on('close', () => behind.destroy())
    behind.on('error', () => {}).on('close', () => client.destroySoon())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  proxy.unref()
  return String((proxy.address() as AddressInfo).port)
}
