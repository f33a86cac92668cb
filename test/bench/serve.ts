import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Miniflare } from 'miniflare'
import { paths } from '../../scripts/lib/config.ts'
import { wrangler } from '../../scripts/lib/wrangler.ts'
import { compatibility } from '../support/compatibility.ts'
import type { Database } from './database.ts'

/** A Worker as it is deployed. */
export type Bundle = Awaited<ReturnType<typeof bundleOf>>

/**
 * Builds a Worker as `wrangler deploy` does.
 *
 * @param folder where the bundle is put
 * @param main its main file, which is called worker.ts; that of the configuration if absent
 */
export async function buildWorker(
  folder: string,
  main?: string,
  config = paths.wranglerConfig,
): Promise<Bundle> {
  const file = main === undefined ? [] : [main]
  await wrangler('deploy', ...file, '--dry-run', '--config', config, '--env=', '--outdir', folder)
  return bundleOf(join(folder, 'worker.js'))
}

/** A bundle that is built already. */
export async function bundleOf(script: string) {
  const content = await readFile(script)
  return { script, bytes: content.length, gzipped: gzipSync(content, { level: 9 }).length }
}

/** A Worker to serve. */
export interface WorkerOptions {
  /** The file of the bundle. */
  readonly script: string
  /** Folder of the local database. */
  readonly storage: string
  readonly vars: Readonly<Record<string, string>>
  /** Milliseconds that each call of the database, the limiter and the issuer takes; see `workers/far.js`. */
  readonly way?: number | undefined
  /** Folder of the static files; the Worker has none if absent. */
  readonly assets?: string | undefined
}

/** A Worker that is served. */
export type ServedWorker = Awaited<ReturnType<typeof serveWorker>>

/** The compatibility of the service: all Workers are served with it. */
const served = { compatibilityDate: compatibility.date, compatibilityFlags: compatibility.flags }

/** Modules that stand before the bundle in a Worker whose calls take time. */
const farModules = ['far.js', 'far-worker.js'] as const

/**
 * Serves a Worker with the bindings of this service, on a workerd of its own, at a port of its own. One after the other: two
 * that start at once would not know which process is whose.
 */
export async function serveWorker(options: WorkerOptions) {
  const { script, storage, vars, way, assets } = options
  const before = await childProcesses()
  process.env.MINIFLARE_WORKERD_PATH = await workerdScript(storage)
  const texts = Object.entries(way === undefined ? vars : { ...vars, BENCH_WAY: String(way) })
  const far = way === undefined ? [] : farModules
  const modules = [
    ['worker.js', script] as const,
    ...far.map((name) => [name, join(import.meta.dirname, 'workers', name)] as const),
  ].map(async ([name, file]) => [name, { type: 'esm', contents: await readFile(file, 'utf8') }])
  const miniflare = new Miniflare({
    cf: false,
    resourcePersistencePath: storage,
    workers: [
      {
        config: {
          name: 'worker',
          ...served,
          manifest: {
            mainModule: way === undefined ? 'worker.js' : 'far-worker.js',
            modulesRoot: '/',
            modules: Object.fromEntries(await Promise.all(modules)),
          },
          env: {
            ...Object.fromEntries(texts.map(([name, value]) => [name, { type: 'text', value }])),
            DB: { type: 'd1', id: 'local' },
            RATE_LIMITER: { type: 'durable-object', worker: 'worker', exportName: 'TokenBucket' },
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
  const [pid] = (await childProcesses()).filter((child) => !before.includes(child))
  return {
    url: await miniflare.unsafeGetDirectURL('worker'),
    /** The process of workerd. */
    pid: Number(pid),
    database: (): Promise<Database> => miniflare.getD1Database('DB', 'worker'),
    close: () => miniflare.dispose(),
  }
}

/** A Worker of static files, of its own: a Worker that has files gets a router before it. */
function filesWorker(directory: string) {
  const contents = 'export default { fetch: (request, env) => env.FILES.fetch(request) }'
  return {
    config: {
      name: 'files',
      ...served,
      manifest: {
        mainModule: 'files.js',
        modulesRoot: '/',
        modules: { 'files.js': { type: 'esm' as const, contents } },
      },
      env: { FILES: { type: 'assets' as const } },
      assets: { directory, htmlHandling: 'none' as const },
    },
  }
}

/** A script that starts workerd with its output dropped: on Cloudflare no log line goes through a pipe. */
async function workerdScript(storage: string): Promise<string> {
  const file = join(storage, 'workerd.sh')
  await mkdir(storage, { recursive: true })
  const require = createRequire(import.meta.resolve('miniflare'))
  await writeFile(file, `#!/bin/sh\nexec '${require('workerd').default}' "$@" >/dev/null\n`, {
    mode: 0o755,
  })
  return file
}

async function childProcesses(): Promise<readonly string[]> {
  const { pid } = process
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean)
}

/** Microseconds of CPU that the threads of a process have used. Linux only. */
export async function cpuOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const times = threads.map(async (thread) => {
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
    return Number(text.split(' ')[0]) / 1000
  })
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0)
}
