import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JWK } from 'jose'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import type { TestHarness, WorkerHandle } from 'wrangler'
import { useMemoryDisk } from '../../lab/reliability/lib/memory-disk.ts'
import { paths } from '../../scripts/lib/config.ts'
import { wrangler } from '../../scripts/lib/wrangler.ts'
import { demoStatements } from '../../scripts/start/demo.ts'
import { createCipher } from '../../src/db/cipher.ts'
import { sealContext } from '../../src/db/rows.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { cardKeys } from './card-keys.ts'
import { audience, issuer, jwksUrl } from './signing-key.ts'

/** Variables that take the place of those in wrangler.toml. */
export type Vars = Readonly<Record<string, string>>

/** The built Worker, running once per set of variables. */
export interface Servers {
  /** The origin of the Worker with these variables; started when first asked for, with demo data. */
  urlOf(vars: Vars): Promise<string>
  workerOf(vars: Vars): Promise<WorkerHandle>
  databaseOf(vars: Vars): Promise<D1Database>
  /** What the Worker has logged, oldest first. */
  logsOf(vars: Vars): Promise<readonly string[]>
  close(): Promise<void>
}

interface Running {
  readonly url: string
  readonly harness: TestHarness
  readonly db: D1Database
}

/**
 * Builds the Worker as it is deployed and answers its outbound requests: the key set of the issuer, and
 * nothing at any other address.
 *
 * @param keys what the issuer publishes
 */
export async function startServers(keys: readonly JWK[]): Promise<Servers> {
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
  process.env.WRANGLER_SEND_METRICS = 'false'
  useMemoryDisk()
  const outbound = setupServer(
    http.get(jwksUrl, () => HttpResponse.json({ keys })),
    http.all(/^https:/, () => new HttpResponse(null, { status: 503 })),
  )
  outbound.listen({ onUnhandledFrame: 'bypass' })
  const build = await mkdtemp(join(tmpdir(), 'worker-'))
  // Loading wrangler takes as long as the build, which is a process of its own.
  const [{ createTestHarness }] = await Promise.all([
    import('wrangler'),
    wrangler('deploy', '--dry-run', '--env', '', '--outdir', build),
  ])
  const running = new Map<string, Promise<Running>>()

  function run(vars: Vars): Promise<Running> {
    const name = JSON.stringify(vars)
    const started = running.get(name) ?? start(createTestHarness(configOf(build, vars)))
    running.set(name, started)
    return started
  }

  return {
    urlOf: async (vars) => (await run(vars)).url,
    workerOf: async (vars) => (await run(vars)).harness.getWorker(),
    databaseOf: async (vars) => (await run(vars)).db,
    logsOf: async (vars) => (await run(vars)).harness.getLogs().map(({ message }) => message),
    async close() {
      const all = await Promise.all(running.values())
      await Promise.all(all.map(({ harness }) => harness.close()))
      outbound.close()
      await rm(build, { recursive: true })
    },
  }
}

/** What a Worker of a build runs with. */
function configOf(prebuiltWorkerDir: string, vars: Vars) {
  return {
    root: paths.root,
    workers: [
      {
        configPath: paths.wranglerConfig,
        prebuiltWorkerDir,
        vars: {
          TOKEN_ISSUER: issuer,
          TOKEN_AUDIENCE: audience,
          AUTH_URL: issuer,
          JWKS_URL: jwksUrl,
          ...vars,
        },
        secrets: { CARD_KEYS: cardKeys },
      },
    ],
  }
}

async function start(harness: TestHarness): Promise<Running> {
  const { url } = await harness.listen()
  const worker = harness.getWorker()
  await worker.applyD1Migrations('DB')
  const db: D1Database = (await worker.getEnv()).DB
  const cipher = createCipher(parseKeyRing(cardKeys))
  const statements = await demoStatements({
    encrypt: (id, card) => cipher.encrypt(card, sealContext('users', id, 'creditCardNumber')),
  })
  await db.batch(statements.map((sql) => db.prepare(sql)))
  return { url: url.origin, harness, db }
}
