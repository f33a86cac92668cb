import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { compatibility } from '../../../scripts/lib/compatibility.ts'
import type { MeteredDatabase } from '../data/database.ts'

// The Miniflare that Wrangler brings, so that there is one workerd on the machine.
const fromWrangler = createRequire(createRequire(import.meta.url).resolve('wrangler'))

/** The compatibility of the service, as Miniflare takes it: all Workers are served with it. */
const served = { compatibilityDate: compatibility.date, compatibilityFlags: compatibility.flags }

/** A Worker to serve. */
export interface WorkerOptions {
  /** The bundle. */
  readonly script: string
  /** Does each answer tell what it has cost? See `tapped.js`. */
  readonly tapped?: boolean | undefined
  /** Does each call of the Worker wait, as long as its variable BENCH_WAY says? See `slow.js`. */
  readonly slowed?: boolean | undefined
  /** Does it load other Workers? See `startup/loader.js`. */
  readonly loads?: boolean | undefined
  /** Folder of the local database. */
  readonly storage: string
  readonly vars: Readonly<Record<string, string>>
  /** Folder of the static files; the Worker has none if absent. */
  readonly assets?: string | undefined
}

/** A Worker that is served. */
export interface ServedWorker {
  readonly url: URL
  readonly database: () => Promise<MeteredDatabase>
  readonly close: () => Promise<void>
}

/**
 * Serves a Worker with the bindings of this service on workerd, reached at a port of its own: neither a proxy
 * nor Miniflare's entry Worker lies between.
 */
export async function serveWorker(options: WorkerOptions): Promise<ServedWorker> {
  const { script, tapped = false, slowed = false, loads = false } = options
  const { storage, vars, assets } = options
  const { Miniflare } = fromWrangler('miniflare')
  process.env.MINIFLARE_WORKERD_PATH = await workerdScript(storage)
  const texts = Object.entries(vars).map(([name, value]) => [name, { type: 'text', value }])
  const miniflare = new Miniflare({
    cf: false,
    resourcePersistencePath: storage,
    workers: [
      {
        config: {
          name: 'worker',
          ...served,
          manifest: {
            mainModule: tapped ? 'tapped.js' : slowed ? 'slowed.js' : 'worker.js',
            modulesRoot: '/',
            modules: {
              'worker.js': await module(script),
              'tapped.js': await module(join(import.meta.dirname, 'tapped.js')),
              'tap.js': await module(join(import.meta.dirname, 'tap.js')),
              'slowed.js': await module(join(import.meta.dirname, 'slowed.js')),
              'slow.js': await module(join(import.meta.dirname, 'slow.js')),
            },
          },
          env: {
            ...Object.fromEntries(texts),
            DB: { type: 'd1', id: 'local' },
            RATE_LIMITER: { type: 'durable-object', worker: 'worker', exportName: 'TokenBucket' },
            ...(loads && { LOADER: { type: 'worker-loader' } }),
            ...(assets !== undefined && { ASSETS: { type: 'worker', worker: 'files' } }),
          },
          exports: { TokenBucket: { type: 'durable-object', storage: 'sqlite' } },
        },
        dev: { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] },
      },
      ...(assets === undefined ? [] : [filesWorker(assets)]),
    ],
  })
  await miniflare.ready
  return {
    url: await miniflare.unsafeGetDirectURL('worker'),
    database: () => miniflare.getD1Database('DB', 'worker'),
    close: () => miniflare.dispose(),
  }
}

/** A Worker of static files. They have one of their own, since a Worker that has files gets a router before it. */
function filesWorker(directory: string): object {
  const contents = 'export default { fetch: (request, env) => env.FILES.fetch(request) }'
  return {
    config: {
      name: 'files',
      ...served,
      manifest: {
        mainModule: 'files.js',
        modulesRoot: '/',
        modules: { 'files.js': { type: 'esm', contents } },
      },
      env: { FILES: { type: 'assets' } },
      assets: { directory, htmlHandling: 'none' },
    },
  }
}

/** A script that starts workerd with its output dropped: on Cloudflare no log line goes through a pipe. */
async function workerdScript(storage: string): Promise<string> {
  const file = join(storage, 'workerd.sh')
  await mkdir(storage, { recursive: true })
  const workerd = fromWrangler('workerd').default
  await writeFile(file, `#!/bin/sh\nexec '${workerd}' "$@" >/dev/null\n`, { mode: 0o755 })
  return file
}

async function module(file: string): Promise<{ type: 'esm'; contents: string }> {
  return { type: 'esm', contents: await readFile(file, 'utf8') }
}
