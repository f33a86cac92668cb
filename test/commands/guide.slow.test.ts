import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { edit, makeCheckout, startIn } from '../support/checkout.ts'
import { freePorts } from '../support/ports.ts'
import { changed, type Step, stepsOf } from './steps.ts'

const root = new URL('../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')

const [extend, beyond] = ['extend', 'beyond-a-column'].map((guide) =>
  stepsOf(textOf(`docs/guides/${guide}.md`)),
) as [Step[], Step[]]
const tried = extend.findIndex(({ text }) => text === 'npm test\n')

/** The steps before `npm test` and `npm start`, by sections. */
const tasks = Object.entries(Object.groupBy(extend.slice(0, tried), ({ section }) => section)) as [
  string,
  Step[],
][]

/** What is asked of the service that runs, how a relationship came, and how it goes again. */
const [questions, relationship, removal] = [
  extend.slice(tried + 2).filter(({ section }) => section === 'Check and start'),
  extend.filter(({ section }) => section === 'A relationship'),
  extend.filter(({ section }) => section === 'Take it away again'),
] as const

const readme = stepsOf(textOf('README.md'))

/** A copy of the repository as a new user has it, with the packages of the original, and free ports for its servers. */
let copy: string
let ports: readonly [number, number]

/** The answers that a document shows. */
const answersIn = (of: readonly Step[]) =>
  of.filter(({ kind }) => kind === 'answer').map(({ text }) => text)

/** What tests ask for after a change. */
const isAsked = (step: Step): boolean => 'path' in step && /^(?:docs\/|CHANGELOG)/.test(step.path)

/** The test that asks for it. */
const asking = 'test/http/spec/contract.test.ts'

const title =
  'docs/guides/extend.md, docs/guides/beyond-a-column.md and README.md, followed to the letter in a copy of the repository'

describe(title, { timeout: 900_000 }, () => {
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
    await follow(done.filter((step) => !isAsked(step)))
  })

  it('lead to failures of the test that asks for the contract and the changelog', async () => {
    const said = await run(`NO_COLOR=1 npx vitest run --project http ${asking} 2>&1 || true`)
    const failed = [...said.matchAll(/^ FAIL +\|\w+\| (\S+)/gm)].map(([, file]) => file)
    expect(new Set(failed)).toEqual(new Set([asking]))
    for (const added of ['languages', 'nickname', 'filter[name]']) {
      expect(said).toMatch(new RegExp(`^[+-] +"${RegExp.escape(added)}"`, 'm'))
    }
  })

  it('lead to green tests with what these ask for', async () => {
    await follow(extend.filter(isAsked))
    await run('npm test')
  })

  it('lead to a check that says in one sentence what cannot be served', async () => {
    const index = 'src/resources/index.ts'
    const [whole, broken] = ['[users, countries, currencies,', '[users, countries,']
    await edit(copy, index, (text) => text.replace(whole, broken))
    await expect(run('node scripts/run.js scripts/assets.ts')).rejects.toThrow(
      '\ncountries.currencies points to currencies: add currencies to the registry\n',
    )
    await edit(copy, index, (text) => text.replace(broken, whole))
  })

  it('lead to a service that answers as the guide shows', async () => {
    service = await startIn(copy, ports)
    expect(answersIn(questions)).toHaveLength(1)
    expect((await ask(questions)).map(setOut)).toEqual(answersIn(questions).map(setOut))
  })

  it('lead to answers that the README shows: those of its first lines, and those of its tour indented, but for one', async () => {
    const tour = readme.filter(({ section }) => section === 'A tour')
    const first = readme.slice(0, 2)
    expect(first.map(({ kind }) => kind)).toEqual(['shell', 'answer'])
    const [answer = '', printed = ''] = await ask([...first, ...tour, end])
    expect(printed.match(/^\{\n {2}"jsonapi": \{\n {4}"version": "1\.1"$/gm)).toHaveLength(4)
    expect(printed).toContain('HTTP/1.1 201 Created')
    expect([setOut(answer)]).toEqual(answersIn(first).map(setOut))
  })

  it('lead to green tests where a relationship goes again, and what is no column comes', async () => {
    await service?.stop()
    for (const step of relationship) {
      if (step.kind === 'change') {
        await edit(copy, step.path, (text) => changed(text, reversed(step.text)))
      }
    }
    await follow([...removal, ...beyond])
    for (const folder of ['migrations', 'migrations/postgres']) {
      expect(await run(`cat ${folder}/*_no_user_languages.sql`)).toMatch(/^DROP TABLE/m)
    }
    await run('npm test')
  })

  it('lead to a service that has a filter of its own, a computed attribute, a capability and a card', async () => {
    service = await startIn(copy, ports)
    const path = '/users?filter[fullName.from]=JOHN&fields[users]=initial&sort=fullName'
    const said = await run(`john=$(npm run -s token -- --person 1)
get() { curl -sg -D - -H "Authorization: Bearer $john" "http://127.0.0.1:8787/jsonapi$@"; }
get '${path}'
get /users/1/card.pdf
get /users/nobody/card.pdf
get /users/1/card.pdf -H 'Accept: application/vnd.api+json'
get /users/1/card.pdf -X POST
get /users/1/card.pdf -X OPTIONS`)
    expect(said.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(-3))).toEqual([
      '200',
      '200',
      '404',
      '406',
      '405',
      '204',
    ])
    expect(said).toContain('"attributes":{"initial":"J"}')
    expect(said).toMatch(/^content-type: application\/pdf\r$/im)
    expect(said).toContain('%PDF-1.7\n% 1\n')
    expect(said.match(/^server-timing: db;desc="1 calls"\r$/gim)).toHaveLength(2)
  })
})

/** A change that takes another one back. */
function reversed(change: string): string {
  const other = { '+': '-', '-': '+' } as const
  return change.replace(/^[+-]/gm, (mark) => other[mark as '+' | '-'])
}

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
