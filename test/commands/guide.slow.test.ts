import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { description } from '../../src/description.ts'
import { edit, makeCheckout, startIn } from '../support/checkout.ts'
import { freePorts } from '../support/ports.ts'
import { changed, type Step, stepsOf } from './steps.ts'

const root = new URL('../../', import.meta.url)
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

/** The tests that the guide names, and which of them it says fail after which change. */
const [tour = '', fields = ''] = guide.match(/test\/http\/[\w/.-]+/g) ?? []
const rows = [...guide.matchAll(/^\| \[([\w ]+)[^|]*\|.*\| ([^|]+) \|$/gm)].map(
  ([, task, told = '']) => [
    task,
    [...(told.includes('tour') ? [tour] : []), ...(told.includes('fields') ? [fields] : [])],
  ],
)

const readme = stepsOf(textOf('README.md'))

/** A copy of the repository as a new user has it, with the packages of the original, and free ports for its servers. */
let copy: string
let ports: readonly [number, number]

/** The answers that a document shows. */
const answersIn = (of: readonly Step[]) =>
  of.filter(({ kind }) => kind === 'answer').map(({ text }) => text)

const title =
  'docs/guides/extend.md and README.md, followed to the letter in a copy of the repository'

describe(title, () => {
  let service: Awaited<ReturnType<typeof startIn>> | undefined
  beforeAll(async () => {
    copy = await makeCheckout()
    ports = await freePorts()
  })
  afterAll(async () => {
    await service?.stop()
    await rm(copy, { recursive: true, force: true, maxRetries: 5 })
  })

  it.each(tasks)('have changes that fit and commands that succeed under "%s"', async (_, done) => {
    await follow(done)
  })

  // One run after all three changes: what each of them makes red stays red until somebody adds what is asked for.
  it('lead to failures of the tests that the guide names, which ask for what each change added, and of no others', async () => {
    const said = await run('NO_COLOR=1 npm test 2>&1 || true')
    const failed = [...said.matchAll(/^ FAIL +\|\w+\| (\S+)/gm)].map(([, file]) => file)
    expect(new Set(failed)).toEqual(new Set([tour, fields]))
    for (const added of ['languages.get', 'users.languages.addMany', 'nickname']) {
      expect(said).toMatch(new RegExp(`^\\+ +"${added}"`, 'm'))
    }
    expect(said).not.toContain('"users.nickname')
    expect(rows).toEqual([
      ['a type', [tour, fields]],
      ['an attribute', [fields]],
      ['a relationship', [tour, fields]],
    ])
  }, 600_000)

  it('lead to a check that says in one sentence what cannot be served', async () => {
    const index = 'src/resources/index.ts'
    const [whole, broken] = ['[users, countries, currencies,', '[users, countries,']
    await edit(copy, index, (text) => text.replace(whole, broken))
    await expect(run('npm run -s check -- --only declarations')).rejects.toThrow(
      '\ncountries.currencies points to currencies: add currencies to the registry\n',
    )
    await edit(copy, index, (text) => text.replace(broken, whole))
  })

  it('lead to a service that answers as the guide shows', async () => {
    service = await startIn(copy, ports)
    expect(answersIn(questions)).toHaveLength(2)
    expect((await ask(questions)).map(setOut)).toEqual(answersIn(questions).map(setOut))
  })

  it('lead to answers that the README shows: those of its first lines, and those of its tour indented, but for one', async () => {
    const tour = readme.filter(({ section }) => section === 'A tour')
    const first = readme.slice(0, 2)
    expect(first.map(({ kind }) => kind)).toEqual(['shell', 'answer'])
    const [printed = '', ...answers] = await ask([...tour, end, ...first])
    expect(printed.match(/^\{\n {2}"jsonapi": \{\n {4}"version": "1\.1"$/gm)).toHaveLength(4)
    expect(printed).toContain('HTTP/1.1 201 Created')
    expect(answers.map(setOut)).toEqual(answersIn(first).map(setOut))
  })

  it('have changes that fit and commands that succeed where a relationship goes again', async () => {
    expect(removal).toHaveLength(2)
    await follow(removal)
    for (const folder of ['migrations', 'migrations/postgres']) {
      expect(await run(`cat ${folder}/*_no_user_languages.sql`)).toMatch(/^DROP TABLE/m)
    }
    await run('node_modules/.bin/tsc --project .')
  })
})

it('The README lists the paths of the service with their methods', () => {
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

/**
 * Runs commands in a shell in the copy. They reach the service at the port that they name, 8787.
 *
 * @returns what they print
 * @throws Error with what they print when one of them fails
 */
async function run(commands: string): Promise<string> {
  const [port, authPort] = ports
  const env = { ...process.env, PORT: String(port), AUTH_PORT: String(authPort) }
  const script = commands.replaceAll(':8787/', `:${port}/`)
  const bash = promisify(execFile)('bash', ['-euc', script], { cwd: copy, env })
  const { stdout } = await bash.catch(({ stdout, stderr }) => {
    throw new Error(`${commands}\n${stdout}${stderr}`)
  })
  return stdout
}

/** Does what a guide tells its reader to do. */
async function follow(all: readonly Step[]): Promise<void> {
  for (const step of all) {
    if (step.kind === 'file') {
      await edit(copy, step.path, () => step.text)
    } else if (step.kind === 'change') {
      await edit(copy, step.path, (text) => changed(text, step.text))
    } else {
      expect(step.kind).toBe('shell')
      await run(step.text)
    }
  }
}

/** Stands where what is printed before belongs together. */
const end: Step = { section: '', kind: 'answer', text: '' }

/** Runs the shell blocks; returns what they print before each answer that is shown. */
async function ask(questions: readonly Step[]): Promise<string[]> {
  const mark = '\u001e'
  const script = questions.map(({ kind, text }) => (kind === 'shell' ? text : `printf '${mark}'\n`))
  return (await run(script.join(''))).split(mark).slice(0, -1)
}

/** A JSON document with a line for each member, in the order that it was sent in. */
function setOut(json: string): string {
  return JSON.stringify(JSON.parse(json), undefined, 2)
}
