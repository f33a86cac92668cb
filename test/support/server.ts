import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JWK } from 'jose'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import type { TestHarness } from 'wrangler'
import { paths } from '../../scripts/lib/config.ts'
import { wrangler } from '../../scripts/lib/wrangler.ts'
import { readWranglerConfig } from '../../scripts/lib/wrangler-config.ts'
import type { SqlStatement } from './back-door.ts'
import { backDoorWorker } from './back-door-client.ts'
import { cardKeys } from './card-keys.ts'
import { type DatabaseBatch, type DatabaseKind, d1 } from './databases.ts'
import { useMemoryDisk } from './memory-disk.ts'
import { audience, issuer, jwksUrl } from './signing-key.ts'

/** Variables that take the place of those in wrangler.toml. */
export type Vars = Readonly<Record<string, string>>

/** The built Worker, running once per set of variables. */
export type Servers = Awaited<ReturnType<typeof startServers>>

interface Running {
  readonly url: string
  readonly harness: TestHarness
  readonly db: DatabaseBatch
  /** The lines of its log that were read from the harness, which copies all that it has each time. */
  readonly lines: string[]
}

/**
 * Builds the Worker as it is deployed and answers its outbound requests: the key set of the issuer, and
 * nothing at any other address.
 *
 * @param keys what the issuer publishes
 * @param database what the Workers store their data in
 * @param built the folder of a Worker that was built for that database before, which is not built again
 */
export async function startServers(
  keys: readonly JWK[],
  database: DatabaseKind = d1,
  built?: string,
) {
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
  process.env.WRANGLER_SEND_METRICS = 'false'
  // A stored trace of each request costs more than the request.
  process.env.X_LOCAL_OBSERVABILITY = 'false'
  // The runtime ends where an isolate needs more megabytes than this: Cloudflare gives it 128.
  process.env.MINIFLARE_WORKERD_V8_FLAGS = '--max-heap-size=100'
  useMemoryDisk()
  const outbound = setupServer(
    http.get(jwksUrl, () => HttpResponse.json({ keys })),
    http.all(/^https:/, () => new HttpResponse(null, { status: 503 })),
  )
  outbound.listen({ onUnhandledFrame: 'bypass' })
  const build = built ?? (await mkdtemp(join(tmpdir(), 'worker-')))
  // Loading wrangler takes as long as the build, which is a process of its own.
  const [{ createTestHarness }] = await Promise.all([
    import('wrangler'),
    built ??
      wrangler('deploy', '--dry-run', '--config', database.config, '--env', '', '--outdir', build),
  ])
  const running = new Map<string, Promise<Running>>()

  async function start(vars: Vars): Promise<Running> {
    const prepared = await database.prepare()
    const worker = vars.BEHIND_TAP
      ? { config: await configBehindTap(build) }
      : { configPath: database.config, prebuiltWorkerDir: build }
    const harness = createTestHarness(optionsOf(worker, { ...database.vars, ...vars }))
    const { url } = await harness.listen()
    return { url: url.origin, harness, db: await prepared(harness), lines: [] }
  }

  function run(vars: Vars): Promise<Running> {
    const name = JSON.stringify(vars)
    const started = running.get(name) ?? start(vars)
    running.set(name, started)
    return started
  }

  return {
    /** The folder of the built Worker: `worker.js`, as it is deployed. */
    build: () => build,
    /** The origin of the Worker with these variables; started when first asked for, with demo data. */
    urlOf: async (vars: Vars) => (await run(vars)).url,
    /** Runs statements on the Worker's database. */
    batch: async (vars: Vars, statements: readonly SqlStatement[]) =>
      (await run(vars)).db(statements),
    /** Does what the Worker does on its schedule; `ok`, if nothing went wrong. */
    async runSchedule(vars: Vars) {
      const worker = (await run(vars)).harness.getWorker()
      return (await worker.scheduled({ cron: '' })).outcome
    },
    /** What the Worker has logged, oldest first: the lines that hold a text. */
    async logsOf(vars: Vars, holding: string) {
      const { harness, lines } = await run(vars)
      for (const { message } of harness.getLogs()) {
        lines.push(message)
      }
      harness.clearLogs()
      return lines.filter((line) => line.includes(holding))
    },
    async close() {
      const all = await Promise.all(running.values())
      await Promise.all(all.map(({ harness }) => harness.close()))
      outbound.close()
      await database.close()
      if (built === undefined) {
        await rm(build, { recursive: true })
      }
    },
  }
}

/** What a Worker runs with. */
function optionsOf<Worker>(worker: Worker, vars: Vars) {
  return {
    root: paths.root,
    workers: [
      {
        ...worker,
        vars: {
          TOKEN_ISSUER: issuer,
          TOKEN_AUDIENCE: audience,
          AUTH_URL: issuer,
          JWKS_URL: jwksUrl,
          ...vars,
        },
        secrets: { CARD_KEYS: cardKeys },
      },
      backDoorWorker,
    ],
  }
}

/** The configuration of a built Worker behind tap.js, which is copied beside it. */
async function configBehindTap(build: string) {
  const folder = join(build, 'tapped')
  await mkdir(folder, { recursive: true })
  await copyFile(join(import.meta.dirname, 'tap.js'), join(folder, 'worker.js'))
  await copyFile(join(build, 'worker.js'), join(folder, 'service.mjs'))
  const { compatibility_date, compatibility_flags, d1_databases, durable_objects, migrations } =
    readWranglerConfig(paths.wranglerConfig, '')
  return {
    name: 'tapped',
    main: join(folder, 'worker.js'),
    base_dir: folder,
    no_bundle: true,
    find_additional_modules: true,
    rules: [{ type: 'ESModule' as const, globs: ['**/*.mjs'] }],
    ...{ compatibility_date, compatibility_flags, d1_databases, durable_objects, migrations },
  }
}
