import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Bundle, buildWorker, partOf } from '../bundle.ts'
import { spreadOf } from '../figures.ts'
import { sharesTable } from '../report.ts'

const run = promisify(execFile)
const here = import.meta.dirname
const root = join(here, '..', '..', '..')

/** Processes that load the bundle, one after the other. */
const rounds = 17

/**
 * Where the time of loading the service goes, as a table for docs/performance.md. The bundle is not minified and has a mark where
 * each module of `src` and of a package begins. It is loaded in Node, whose clock goes on while code runs; workerd's stands still.
 *
 * @param folder an empty folder
 * @throws Error where esbuild names no modules in the bundle
 */
export async function partsText(
  vars: Readonly<Record<string, string>>,
  folder: string,
): Promise<string> {
  const config = join(root, 'wrangler.toml')
  const file = await marked(await buildWorker(config, 'worker.ts', folder, ['--minify=false']))
  const times = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    for (const [part, time] of await timesOf(file, vars)) {
      times.set(part, [...(times.get(part) ?? []), time])
    }
  }
  const medians = [...times].map(([part, values]) => [part, spreadOf(values).median] as const)
  return sharesTable(
    'ms',
    medians.toSorted(([, a], [, b]) => b - a),
  )
}

/** Puts a mark before each module of a bundle that is not minified, where esbuild names the module in a comment. */
async function marked({ script }: Bundle): Promise<string> {
  const text = await readFile(script, 'utf8')
  const withMarks = text.replaceAll(
    /^\/\/ ((?:src|node_modules)\/\S+)$/gm,
    (_, name) => `globalThis.mark('${partOf(name)}');`,
  )
  if (withMarks === text) {
    throw new Error(`${script} names no modules`)
  }
  const file = `${script}.mjs`
  await writeFile(
    file,
    withMarks.replaceAll('"cloudflare:workers"', JSON.stringify(join(here, 'platform.js'))),
  )
  return file
}

/** Milliseconds of each part in a new process. */
async function timesOf(
  file: string,
  vars: Readonly<Record<string, string>>,
): Promise<Map<string, number>> {
  const env = { ...process.env, BENCH_VARS: JSON.stringify(vars) }
  const { stdout } = await run(process.execPath, [join(here, 'evaluate.js'), file], { env })
  const marks: [part: string, at: number][] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  const times = new Map<string, number>()
  for (const [index, [, at]] of marks.slice(1).entries()) {
    const [part, from] = marks[index] ?? ['', at]
    times.set(part, (times.get(part) ?? 0) + at - from)
  }
  return times
}
