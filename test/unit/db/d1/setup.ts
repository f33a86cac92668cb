import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import type { TestProject } from 'vitest/node'
import { compatibility } from '../../../../scripts/lib/compatibility.ts'

declare module 'vitest' {
  /** What the run hands to every test file; `d1.ts` reads it. */
  interface ProvidedContext {
    /** Address of the Worker that has the databases. */
    readonly d1Url: string
  }
}

/** The schemas that databases have, by name. */
export const schemas = ['second-domain', 'service'] as const

/** How many databases of one schema a test file may hold at a time. */
export const mostDatabases = 6

/** A folder that lies in memory where the system has one: nothing waits for a disk that no test needs. */
const memory = '/dev/shm'

/** The binding of a database: the process of a test file has databases of its own. */
export function bindingOf(schema: (typeof schemas)[number], process: number, nth: number): string {
  return `${schema}/${process}/${nth}`
}

/** Starts one workerd for the whole run, with D1 databases for each process that runs tests. */
export default async function setup({
  provide,
  config,
}: TestProject): Promise<() => Promise<void>> {
  const processes = Math.max(config.maxWorkers ?? 1, availableParallelism())
  const names = schemas.flatMap((schema) =>
    Array.from({ length: processes * mostDatabases }, (_, index) =>
      bindingOf(schema, Math.floor(index / mostDatabases) + 1, index % mostDatabases),
    ),
  )
  const contents = await readFile(new URL('worker.js', import.meta.url), 'utf8')
  const storage = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'd1-of-tests-'))
  const miniflare = new Miniflare({
    cf: false,
    resourcePersistencePath: storage,
    workers: [
      {
        config: {
          name: 'd1',
          compatibilityDate: compatibility.date,
          manifest: {
            mainModule: 'worker.js',
            modulesRoot: '/',
            modules: { 'worker.js': { type: 'esm', contents } },
          },
          env: Object.fromEntries(names.map((name) => [name, { type: 'd1', id: name }])),
        },
        dev: { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] },
      },
    ],
  })
  await miniflare.ready
  provide('d1Url', String(await miniflare.unsafeGetDirectURL('d1')))
  return async () => {
    await miniflare.dispose()
    await rm(storage, { recursive: true })
  }
}
