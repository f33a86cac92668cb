import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { argumentsOrExit } from '../../../scripts/lib/arguments.ts'
import { paths } from '../../../scripts/lib/config.ts'
import { installed } from '../../../scripts/lib/install.ts'
import { type Mutant, mutantsOf, shuffled } from './mutants.ts'
import type { Answer, Question } from './worker.ts'

const help = `Changes a copy of the code in small ways drawn by chance, and tells which changes no test notices.
A change that tsc refuses is not counted. The others are tried against the unit tests that import the changed file,
and where those pass, against the tests over HTTP.

  npm run mutate
  npm run mutate -- --only src/db/ --sample 100

  --sample <number>  changes per folder of src; 10 take an hour
  --seed <number>    draws others
  --only <text>      files whose path begins like this
`

const values = argumentsOrExit({
  name: 'mutate',
  help,
  options: {
    sample: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: 'src/' },
  },
})

/** What became of a mutant. */
type Outcome = 'refused' | 'unit' | 'http' | 'hangs' | 'lives'

/** The share of mutants, in percent, that tests must find. */
const least = 85

await installed(import.meta.dirname)
const root = await copy()
const sources = execFileSync('git', ['ls-files', 'src'], { cwd: paths.root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\/.*\/.*(?<!\.d)\.ts$/.test(file) && file.startsWith(values.only))
const folders = Map.groupBy(shuffled(await mutantsOf(root, sources), values.seed), ({ file }) =>
  dirname(file),
)
const outcomes = new Map(Array.from(folders.keys(), (folder) => [folder, [] as Outcome[]]))
/** The files of tests that found a mutant, by folder of the mutant; the last one first. */
const finders = new Map<string, readonly string[]>()
let unit: ChildProcess | undefined

// One of each folder in turn: where the command is ended early, the samples are equally small.
const most = Math.max(...Array.from(folders.values(), ({ length }) => length))
for (let nth = 0; nth < most; nth += 1) {
  for (const [folder, mutants] of folders) {
    const known = outcomes.get(folder) ?? []
    const mutant = mutants[nth]
    if (mutant !== undefined && counted(known).length < Number(values.sample)) {
      const { outcome, by } = await attempt(mutant)
      known.push(outcome)
      tell(mutant, outcome, by)
    }
  }
}
unit?.disconnect()
await rm(root, { recursive: true })
const rows = Array.from(outcomes, ([folder, all]) => row(folder, all))
console.table(rows)
const weight = rows.reduce((sum, { mutants }) => sum + mutants, 0)
const whole = rows.reduce((sum, { mutants, score }) => sum + (mutants * score) / weight, 0)
console.log(`Of all mutants, about ${whole.toFixed(1)} % are found; ${least} % must be.`)
process.exitCode = whole < least ? 1 : 0

/** A copy of the project as it lies here, committed or not, with the same packages. */
async function copy(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mutation-'))
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const files = execFileSync('git', listed, { cwd: paths.root, encoding: 'utf8' })
    .trim()
    .split('\n')
  for (const file of files.filter((file) => existsSync(join(paths.root, file)))) {
    await cp(join(paths.root, file), join(folder, file))
  }
  await symlink(join(paths.root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Puts a mutant into the copy, runs what may notice it, and takes it out again. */
async function attempt(mutant: Mutant): Promise<{ outcome: Outcome; by?: string }> {
  const changed = join(root, mutant.file)
  const folder = dirname(mutant.file)
  await writeFile(changed, mutant.text)
  try {
    const compiler = ['--project', '.', '--incremental', '--tsBuildInfoFile', 'types.tsbuildinfo']
    if (spawnSync('tsc', compiler, { cwd: root }).status !== 0) {
      return { outcome: 'refused' }
    }
    const found = finders.get(folder) ?? []
    const own = folder.replace('src', 'test/unit')
    const first = [`${own}/${basename(mutant.file, '.ts')}.`, ...found, `${own}/`]
    unit = unit?.connected ? unit : await started('unit')
    const byUnit = await asked(unit, { changed, related: true, first }, 5)
    if (byUnit !== undefined) {
      return byUnit
    }
    const http = await started('http')
    const byHttp = await asked(http, { changed, related: false, first: found }, 15)
    if (http.connected) {
      http.disconnect()
      await once(http, 'exit')
    }
    return byHttp ?? { outcome: 'lives' }
  } finally {
    await cp(join(paths.root, mutant.file), changed)
  }
}

async function started(project: 'unit' | 'http'): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'worker.ts'), project], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await once(worker, 'message')
  return worker
}

/**
 * Has the tests run that may find a mutant.
 *
 * @param minutes how long they may take: after that they hang, and their processes are ended
 * @returns nothing where all pass
 */
async function asked(
  worker: ChildProcess,
  question: Question,
  minutes: number,
): Promise<{ outcome: Outcome; by?: string } | undefined> {
  worker.send(question)
  try {
    const timeout = { signal: AbortSignal.timeout(minutes * 60_000) }
    const [{ found }] = (await once(worker, 'message', timeout)) as [Answer]
    return found === undefined
      ? undefined
      : { outcome: question.related ? 'unit' : 'http', by: found }
  } catch {
    process.kill(-(worker.pid ?? Number.NaN), 'SIGKILL')
    await once(worker, 'exit')
    return { outcome: 'hangs' }
  }
}

/** Prints what became of a mutant, in columns with tabs between them. */
function tell(
  { file, line, column, kind, original, replacement }: Mutant,
  outcome: Outcome,
  by = '',
) {
  const [finder = ''] = by.split(': ')
  if (finder.startsWith('test/')) {
    const folder = dirname(file)
    const others = (finders.get(folder) ?? []).filter((other) => other !== finder)
    finders.set(folder, [finder, ...others])
  }
  const texts = [original, replacement].map((text) => text.replace(/\s+/g, ' ').slice(0, 100))
  console.log([outcome, `${file}:${line}:${column}`, kind, ...texts, by].join('\t'))
}

/** Those that can be found: what tsc refuses is no mutant. */
function counted(all: readonly Outcome[]): readonly Outcome[] {
  return all.filter((outcome) => outcome !== 'refused')
}

/** The score of a folder, and where it would lie in 19 of 20 samples (Wilson's interval), in percent. */
function row(folder: string, all: readonly Outcome[]) {
  const count = (wanted: Outcome): number => all.filter((outcome) => outcome === wanted).length
  const [tried, lives] = [counted(all).length, count('lives')]
  const score = 1 - lives / tried
  const square = 1.96 ** 2 / tried
  const half = Math.sqrt(square * (score * (1 - score) + square / 4))
  const bound = (side: number): number => (score + square / 2 + side) / (1 + square)
  const drawn = folders.get(folder)?.length ?? 0
  return {
    folder,
    mutants: Math.round((drawn * tried) / all.length),
    refused: count('refused'),
    tried,
    unit: count('unit'),
    http: count('http'),
    hangs: count('hangs'),
    lives,
    score: percent(score),
    from: percent(bound(-half)),
    to: percent(bound(half)),
  }
}

function percent(share: number): number {
  return Math.round(share * 1000) / 10
}
