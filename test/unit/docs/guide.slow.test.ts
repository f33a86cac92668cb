import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { description } from '../../../src/description.ts'
import { type Scratch, scratchCopy } from './scratch.ts'
import { changed, linesAdded, type Step, stepsOf } from './steps.ts'

const root = new URL('../../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')

const guide = textOf('docs/guides/extend.md')
const steps = stepsOf(guide)
const start = steps.findIndex(({ text }) => text === 'npm start\n')

/** The steps before the service starts, by sections. */
const tasks = Object.entries(Object.groupBy(steps.slice(0, start), ({ section }) => section)) as [
  string,
  Step[],
][]

/** What is asked of the service that runs, and how a relationship goes again. */
const [questions, removal] = ['See it', 'Take it away again'].map((title) =>
  steps.filter(({ section }) => section === title),
) as [Step[], Step[]]

/** The tests that the guide says fail until something is added. */
const asking = new Set(
  guide.match(/^\| \[.*$/gm)?.flatMap((row) => row.match(/test\/[\w/.-]+/g) ?? []),
)

const readme = stepsOf(textOf('README.md'))

/** The commands of the README that name the service and its callers. */
const names = readme.flatMap(({ text }) => text.match(/^\w+=.*\n/gm) ?? []).join('')

/** The answers that a document shows. */
const answersIn = (of: readonly Step[]) =>
  of.filter(({ kind }) => kind === 'answer').map(({ text }) => text)

const title =
  'docs/guides/extend.md and README.md, followed to the letter in a copy of the repository'

// The commands of the guide check and build everything, which takes a minute on a slow machine.
describe(title, { timeout: 300_000 }, () => {
  let copy: Scratch
  beforeAll(async () => {
    copy = await scratchCopy()
  })
  afterAll(() => copy.remove())

  it.each(tasks)('have changes that fit and commands that succeed under "%s"', async (_, done) => {
    await follow(copy, done)
  })

  it('lead to failures of the tests that the guide names, and of no others', async () => {
    await copy.run(
      'node_modules/.bin/vitest run --project unit --project http --retry=2 --reporter=json --outputFile=reports/all.json || true',
    )
    const failed = await copy.run(
      `node -p "JSON.parse(fs.readFileSync('reports/all.json')).testResults.filter(({ status }) => status === 'failed').map(({ name }) => name).join('\\n')"`,
    )
    expect(asking.size).toBe(2)
    expect(new Set(failed.match(/test\/[\w/.-]+$/gm))).toEqual(asking)
  }, 900_000)

  it('lead to a check and a build that say in one sentence what cannot be served', async () => {
    const index = 'src/resources/index.ts'
    const [whole, broken] = ['[users, countries, currencies,', '[users, countries,']
    await copy.change(index, (text) => text.replace(whole, broken))
    const told = 'countries.currencies points to currencies: add currencies to the registry'
    for (const command of ['npm run -s check -- --only declarations', 'node scripts/assets.ts']) {
      await expect(copy.run(command)).rejects.toThrow(`\n${told}\n`)
    }
    await copy.change(index, (text) => text.replace(broken, whole))
    await copy.run('npm run -s check -- --only declarations')
  })

  it('lead to a service that answers as the guide shows', async () => {
    await copy.start()
    expect(answersIn(questions).length).toBeGreaterThan(2)
    expect(await ask(copy, questions)).toEqual(answersIn(questions).map(setOut))
  })

  it('lead to a service that answers as the first lines of the README show', async () => {
    const first = readme.slice(0, 2)
    expect(first.map(({ kind }) => kind)).toEqual(['shell', 'answer'])
    expect(await ask(copy, first, names)).toEqual(answersIn(first).map(setOut))
  })

  it('lead to answers that the tour of the README shows indented, but for the one with headers', async () => {
    const tour = readme.filter(({ section }) => section === 'A tour').map(({ text }) => text)
    const printed = await copy.run(tour.join(''))
    expect(printed.match(/^\{\n {2}"jsonapi": \{\n {4}"version": "1\.1"$/gm)).toHaveLength(4)
    expect(printed).toContain('HTTP/1.1 201 Created')
  }, 120_000)

  it('have changes that fit and commands that succeed where a relationship goes again', async () => {
    expect(removal.length).toBeGreaterThan(2)
    await follow(copy, removal)
    expect(await copy.run('cat migrations/*_no_user_languages.sql')).toMatch(/^DROP TABLE/m)
    await copy.run('npm run check')
  })
})

describe('the tables of the README and of the guide', () => {
  it('list the paths of the service with their methods', () => {
    const listed = [...textOf('README.md').matchAll(/^\| `(\/[^`]+)` \| ([A-Z, ]+) \|/gm)].map(
      ([, path = '', methods = '']) => [path, methods.split(', ').toSorted()],
    )
    const { paths } = description({ server: 'https://a.example', authUrl: 'https://b.example' })
    const served = Object.entries(paths).map(([path, operations]) => [
      path,
      Object.keys(operations)
        .filter((name) => /^(?:get|post|patch|delete)$/.test(name))
        .map((name) => name.toUpperCase())
        .toSorted(),
    ])
    expect(listed.toSorted()).toEqual(served.toSorted())
  })

  it('tell how many files and lines each task takes by hand', () => {
    const told = [...guide.matchAll(/^\| \[[^\]]+\]\(#(\S+)\) \| (\d+) \| (\d+) \|/gm)].map(
      ([, anchor, files, lines]) => [anchor, Number(files), Number(lines)],
    )
    const taken = tasks
      .map(([section, done]) => [
        section.toLowerCase().replaceAll(' ', '-'),
        new Set(done.flatMap((step) => ('path' in step ? step.path : []))).size,
        done.reduce((sum, step) => sum + linesAdded(step), 0),
      ])
      .filter(([, files]) => files !== 0)
    expect(told).toEqual(taken)
    expect(told.map(([, files]) => files)).toEqual([2, 1, 1])
  })
})

/** Does what a guide tells its reader to do. */
async function follow(copy: Scratch, all: readonly Step[]): Promise<void> {
  for (const step of all) {
    if (step.kind === 'file') {
      await copy.change(step.path, () => step.text)
    } else if (step.kind === 'change') {
      await copy.change(step.path, (text) => changed(text, step.text))
    } else {
      expect(step.kind).toBe('shell')
      await copy.run(step.text)
    }
  }
}

/** Runs the shell blocks after other commands; returns what they print before each answer that is shown. */
async function ask(copy: Scratch, questions: readonly Step[], before = ''): Promise<string[]> {
  const end = '\u001e'
  const script = questions.map(({ kind, text }) => (kind === 'shell' ? text : `printf '${end}'\n`))
  const printed = await copy.run(before + script.join(''))
  return printed.split(end).slice(0, -1).map(setOut)
}

/** A JSON document with a line for each member, in the order that it was sent in. */
function setOut(json: string): string {
  return JSON.stringify(JSON.parse(json), undefined, 2)
}
