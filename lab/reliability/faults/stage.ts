import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestHarness, type TestHarness } from 'wrangler'
import { cardsUnder } from '../../../scripts/lib/cards.ts'
import { compatibility } from '../../../scripts/lib/compatibility.ts'
import { paths } from '../../../scripts/lib/config.ts'
import { wrangler } from '../../../scripts/lib/wrangler.ts'
import { recounts } from '../../../scripts/operate/counters.ts'
import { type Sign, signerOf } from '../../../test/bench/issuer.ts'
import { cardKeys } from '../../../test/support/card-keys.ts'
import { useMemoryDisk } from '../../../test/support/memory-disk.ts'
import { audience, createSigningKey, issuer } from '../../../test/support/signing-key.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'
import { type Person, relatives, type Stored } from './operations.ts'
import { backDoorPath, type SqlStatement } from './plan.ts'
import type { Row } from './rows.ts'

/** Everything that cells are played on: one Worker for each row, one database for all. */
export interface Stage {
  readonly keys: KeyServer
  readonly sign: Readonly<Record<'good' | 'rotated' | 'unknown key', Sign>>
  send(worker: string, path: string, init: RequestInit): Promise<Response>
  /** New people, each with one user. */
  people(count: number): Promise<readonly Person[]>
  stored(person: Person): Promise<Stored>
  logs(): readonly string[]
  close(): Promise<void>
}

const card = '4242 4242 4242 4242'

/** The name of the Worker of a row. */
export const workerOf = (index: number): string => `row-${index}`

/** The name of its second isolate, where a phase asks for one: all of one runtime share the data centre's cache. */
export const secondOf = (worker: string): string => `${worker}-second`

/** Builds the Worker once, and starts it once for each row. */
export async function startStage(rows: readonly Row[]): Promise<Stage> {
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
  process.env.WRANGLER_SEND_METRICS = 'false'
  useMemoryDisk()
  const [good, rotated, unknown] = await Promise.all([1, 2, 3].map(() => createSigningKey()))
  if (!good || !rotated || !unknown) {
    throw new Error('Three key pairs were asked for')
  }
  const keys = await startKeyServer({
    good: good.published,
    rotated: { ...rotated.published, kid: 'rotated' },
  })
  const build = await mkdtemp(join(tmpdir(), 'faults-'))
  await wrangler(
    'deploy',
    '--dry-run',
    `--config=${import.meta.dirname}/wrangler.toml`,
    `--outdir=${build}`,
  )
  const main = (await readdir(build)).find((name) => name.endsWith('.js'))
  const harness = createTestHarness({
    // Not the project's folder: the `.dev.vars` of `npm start` would take the place of what is put wrong here.
    root: build,
    workers: rows.flatMap((row, index) => {
      const worker = workerOf(index)
      const hasSecond = row.phases.some(({ isolate }) => isolate === 'second')
      const names = hasSecond ? [worker, secondOf(worker)] : [worker]
      return names.map((name) => ({
        config: configOf(name, join(build, main ?? ''), keys.urlOf(worker), row),
      }))
    }),
  })
  // The harness makes outbound requests with this `fetch`: a network does not follow redirects by itself.
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' })
  await harness.listen()
  await harness.getWorker(workerOf(0)).applyD1Migrations('DB')
  const send: Stage['send'] = (worker, path, init) =>
    harness
      .getWorker(worker)
      .fetch(`https://api.example${path}`, init as never) as unknown as Promise<Response>
  const run: Run = async (statements) => {
    const body = JSON.stringify(statements)
    const response = await send(workerOf(0), backDoorPath, { method: 'POST', body })
    return (await response.json()) as Record<string, string>[][]
  }
  await run([
    ...relatives.map((id) => insertUser({ id, sub: 'nobody' }, 'Relative', null, null)),
    ...recount,
  ])
  return {
    keys,
    sign: {
      good: await signerOf(good.secret, issuer, audience),
      rotated: await signerOf({ ...rotated.secret, kid: 'rotated' }, issuer, audience),
      'unknown key': (options) =>
        signerOf({ ...unknown.secret, kid: randomUUID() }, issuer, audience).then((sign) =>
          sign(options),
        ),
    },
    send,
    people: (count) => people(run, count),
    stored: (person) => storedOf(run, person),
    logs: () => harness.getLogs().map(({ message }) => message),
    async close() {
      globalThis.fetch = fetch
      await harness.close()
      keys.close()
      await rm(build, { recursive: true })
    },
  }
}

type Config = Parameters<TestHarness['update']>[0] extends infer Options
  ? Extract<
      Options extends { workers: (infer Worker)[] } ? Worker : never,
      { config: unknown }
    >['config']
  : never

function configOf(name: string, main: string, keysUrl: string, { vars }: Row): Config {
  const all: Record<string, string | undefined> = {
    ROOT_PATH: '/jsonapi',
    AUTH_URL: issuer,
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: audience,
    JWKS_URL: keysUrl,
    RATE_LIMIT_BURST_CAPACITY: '100',
    RATE_LIMIT_REPLENISH_RATE: '50',
    RATE_LIMIT_READ_COST: '1',
    RATE_LIMIT_WRITE_COST: '5',
    CORS_ORIGINS: '',
    CARD_KEYS: cardKeys,
    ...vars,
  }
  return {
    name,
    main,
    no_bundle: true,
    compatibility_date: compatibility.date,
    compatibility_flags: ['nodejs_als', ...compatibility.flags],
    d1_databases: [
      {
        binding: 'DB',
        database_name: 'faults',
        database_id: 'faults',
        migrations_dir: paths.migrations,
      },
    ],
    durable_objects: { bindings: [{ name: 'RATE_LIMITER', class_name: 'TokenBucket' }] },
    migrations: [{ tag: 'v1', new_sqlite_classes: ['TokenBucket'] }],
    vars: Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
    ) as Record<string, string>,
  }
}

/** Runs statements on the real D1 as one batch; the rows of each. */
type Run = (statements: readonly SqlStatement[]) => Promise<Record<string, string>[][]>

/** Counts all users anew, since rows that are inserted past the service are not counted. */
const recount = recounts.map((sql): SqlStatement => [sql])

async function people(run: Run, count: number): Promise<readonly Person[]> {
  const cards = cardsUnder(cardKeys)
  const made = Array.from({ length: count }, () => ({ sub: randomUUID(), id: randomUUID() }))
  const inserts = await Promise.all(
    made.map(async (person): Promise<SqlStatement[]> => {
      const sealed = await cards.seal(person.id, card)
      return [
        insertUser(person, 'Before', sealed, 'NO'),
        ['INSERT INTO user_citizenships VALUES (?1, ?2), (?1, ?3)', person.id, 'NO', 'SE'],
        ["INSERT INTO user_relatives VALUES (?, ?, 'WIFE')", person.id, relatives[0]],
      ]
    }),
  )
  await run([...inserts.flat(), ...recount])
  return made
}

function insertUser(
  { id, sub }: Person,
  name: string,
  sealed: string | null,
  placeOfBirth: string | null,
): SqlStatement {
  const email = `${id}@example.com`
  return [
    `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, card, place_of_birth)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, sub, name, name.toLowerCase(), email, email, sealed, placeOfBirth],
  ]
}

/** What is stored of all users that a person owns. */
async function storedOf(run: Run, { sub }: Person): Promise<Stored> {
  const [rows = []] = await run([
    [
      `SELECT full_name || coalesce('; born in ' || place_of_birth, '') ||
         coalesce((SELECT '; of ' || group_concat(country_id, ', ') FROM
           (SELECT country_id FROM user_citizenships WHERE user_id = u.id ORDER BY 1)), '') ||
         coalesce((SELECT '; ' || group_concat(r, ', ') FROM
           (SELECT relative_id || ' is ' || relationship_type AS r FROM user_relatives
             WHERE user_id = u.id ORDER BY 1)), '') ||
         CASE WHEN card IS NULL THEN '' ELSE '; card' END AS line
       FROM users u WHERE owner = ? ORDER BY full_name`,
      sub,
    ],
  ])
  return rows.map(({ line = '' }) => line)
}
