import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compatibility } from '../../../scripts/lib/compatibility.ts'
import { exactCpuOf, startServer } from '../server/process.ts'
import { empty } from './yardstick.ts'

/** Rounds before the first one that counts: workerd and its loader warm up. */
const warmUp = 2

/**
 * Milliseconds of CPU that it takes to load Workers and to get a first answer from them that needs nothing else, less the same
 * for an empty Worker: a value for each round. All of them are loaded in turn, each time into a new isolate of one process.
 *
 * @param scripts texts of bundles by name
 * @param folder an empty folder
 */
export async function loadings(
  scripts: Readonly<Record<string, string>>,
  vars: Readonly<Record<string, string>>,
  folder: string,
  rounds: number,
): Promise<Record<string, number[]>> {
  const server = await startServer(join(import.meta.dirname, '..', 'server', 'worker.ts'), {
    script: join(import.meta.dirname, 'loader.js'),
    storage: folder,
    vars: { ...vars, BENCH_COMPATIBILITY: JSON.stringify(compatibility) },
    loads: true,
  })
  const load = async (body: string): Promise<number> => {
    const before = await exactCpuOf(server.pid)
    const response = await fetch(server.url, { method: 'POST', body })
    await response.arrayBuffer()
    if (response.status >= 500) {
      throw new Error(`A bundle does not load: ${response.status}`)
    }
    return ((await exactCpuOf(server.pid)) - before) / 1000
  }
  const used: Record<string, number[]> = {}
  for (let round = -warmUp; round < rounds; round++) {
    const nothing = await load(empty)
    for (const [name, script] of Object.entries(scripts)) {
      const time = (await load(script)) - nothing
      if (round >= 0) {
        used[name] = [...(used[name] ?? []), time]
      }
    }
  }
  await server.stop()
  return used
}

/** The texts of bundles by name, from their files. */
export async function textsOf(
  files: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const texts = Object.entries(files).map(async ([name, file]) => [
    name,
    await readFile(file, 'utf8'),
  ])
  return Object.fromEntries(await Promise.all(texts))
}
