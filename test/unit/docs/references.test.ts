import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { variableNames } from '../../../src/config.ts'
import { errorCodes } from '../../../src/jsonapi/problems.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const root = new URL('../../../', import.meta.url)

/** Every text of the repository that may cite another one: its path and what it holds. */
const texts = globSync('**/*.{ts,md,sql,toml,js,mjs,html,yml}', {
  cwd: fileURLToPath(root),
  exclude: [
    '**/node_modules',
    '**/dist',
    '**/reports',
    'public',
    'test/unit/docs/references.test.ts',
  ],
}).map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))

const documents = texts.filter(({ path }) => path.endsWith('.md'))

function textOf(path: string): string {
  return texts.find((one) => one.path === path)?.text ?? ''
}

/** A document without its blocks of code, in which a link is one of another file. */
const withoutBlocks = (text: string) => text.replace(/^```.*?^```$/gms, '')

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('what texts name is in the repository', () => {
  it('links between documents lead to a file, and to a heading of it', () => {
    const links = documents.flatMap(({ path, text }) =>
      [...withoutBlocks(text).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
        ([, file = '', anchor]) => ({
          path,
          target: file === '' ? path : new URL(file, new URL(path, 'file:///')).pathname.slice(1),
          anchor,
        }),
      ),
    )
    expect(links.length).toBeGreaterThan(20)
    const broken = links.filter(
      ({ target, anchor }) =>
        !existsSync(new URL(target, root)) ||
        (anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor)),
    )
    expect(broken).toEqual([])
  })

  it('the README leads to every document, by way of others', () => {
    const reached = new Set(['README.md'])
    for (const path of reached) {
      for (const [, link = ''] of textOf(path).matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g)) {
        reached.add(join(path, '..', link))
      }
    }
    // GitHub itself shows this one, beside a new pull request.
    reached.add('.github/pull_request_template.md')
    expect(documents.length).toBeGreaterThan(15)
    const alone = documents.filter(({ path }) => !reached.has(path) && !path.startsWith('test/'))
    expect(alone).toEqual([])
  })

  it('paths that documents name exist, and tests that are named as proofs', () => {
    const namedIn = (text: string) =>
      [...text.matchAll(/`([\w./*-]+)`/g)].map(([, name = '']) => name)
    const folder = /^(?:src|test|docs|migrations|public|scripts|clients)\//
    const paths = documents.flatMap(({ text }) => namedIn(text)).filter((name) => folder.test(name))
    const proofs = namedIn(textOf('docs/proofs.md')).filter((name) => name.endsWith('.ts'))
    expect([paths.length > 50, proofs.length > 20]).toEqual([true, true])
    const found = (...names: readonly string[]) => globSync(names, { cwd: fileURLToPath(root) })
    expect(paths.filter((name) => found(name).length === 0)).toEqual([])
    const missing = proofs.filter((name) => found(`test/${name}`, `test/*/${name}`).length === 0)
    expect(missing).toEqual([])
  })

  it('commands that any text names are scripts of a package', () => {
    const scriptsOf = (folder: string): string[] =>
      Object.keys(
        JSON.parse(readFileSync(new URL(`${folder}package.json`, root), 'utf8')).scripts ?? {},
      )
    const command = /npm run (?:-s )?([a-z]+(?:[:/-][a-z]+)*)(?: --prefix ([\w/]+))?/g
    const named = texts.flatMap(({ path, text }) =>
      [...text.matchAll(command)].map(([, name = '', folder]) => ({ path, name, folder })),
    )
    expect(named.length).toBeGreaterThan(50)
    const missing = named.filter(
      ({ name, folder }) => !scriptsOf(folder ? `${folder}/` : '').includes(name),
    )
    expect(missing).toEqual([])
  })
})

it('The guide to errors tells for each code of the contract, and for no other, what to do', () => {
  const rows = [...textOf('docs/guides/errors.md').matchAll(/^\| (\d{3}) \| `(\w+)` \| .+ \|$/gm)]
  const told = rows.map(([, status, code]) => [code, Number(status)])
  const known = Object.entries(errorCodes).map(([code, { status }]) => [code, status])
  expect(new Set(told.map(String))).toEqual(new Set(known.map(String)))
})

it('The page on configuration lists each variable that the service reads', () => {
  const rows = textOf('docs/configuration.md').matchAll(/^\| ((?:`[A-Z\d_]+`(?:, )?)+)/gm)
  const listed = [...rows].flatMap(([, names = '']) => names.match(/[A-Z\d_]+/g) ?? [])
  expect(listed.toSorted()).toEqual([...variableNames, 'CARD_KEYS'].toSorted())
})

it('Git ignores the files with secrets or data of people that documents and helps name', async () => {
  const helps = texts.filter(({ path }) => path.startsWith('scripts/'))
  const options =
    /(?:--secrets-file|person .*--file|pg_dump .*--file|d1 export .*--output) (\w[\w-]*\.\w+)| > (\w[\w.-]*\.(?:json|sql))/g
  const named = [...documents, ...helps].flatMap(({ text }) => [...text.matchAll(options)])
  const names = new Set(named.map(([, file, written = '']) => file ?? written))
  expect([...names]).toEqual(expect.arrayContaining(['secrets.json', 'backup.sql']))
  const folder = await temporaryFolder()
  copyFileSync(new URL('.gitignore', root), join(folder, '.gitignore'))
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet')
  const ignored = git('-c', 'core.excludesFile=', 'check-ignore', ...names)
  expect(ignored.trimEnd().split('\n')).toEqual([...names])
})
